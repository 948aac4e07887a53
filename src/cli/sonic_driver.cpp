#include "cli/sonic_driver.hpp"

#include <algorithm>
#include <cstdlib>

#include "device/sonic/sonic_device.hpp"
#include "sonic/find_databases.hpp"

namespace petrel::cli {

namespace {

Result<sonic::Databases> databases_of(const codec::DeviceEntry& entry)
{
    const std::string_view driver{entry.driver};
    const auto address = driver.substr(std::min(driver.find(':'), driver.size() - 1) + 1);
    const char* usual = std::getenv("PETREL_REDIS");
    return sonic::find_databases(!address.empty() || usual == nullptr ? address : usual);
}

}  // namespace

Result<std::vector<codec::DeviceEntry>> SonicDriver::expand(const codec::DeviceEntry& entry)
{
    return databases_of(entry).map([&](const sonic::Databases&) {
        auto named = entry;
        if (named.name.empty()) {
            named.name = "sonic";
        }
        return std::vector{named};
    });
}

Result<std::unique_ptr<device::Device>> SonicDriver::open(const codec::DeviceEntry& entry, DeviceId id,
                                                          const device::TimeSource& clock, Say say)
{
    return databases_of(entry).and_then([&](const sonic::Databases& databases) {
        return device::sonic::SonicDevice::open(databases, id, clock, std::move(say))
            .map([](std::unique_ptr<device::sonic::SonicDevice> device) -> std::unique_ptr<device::Device> {
                return device;
            });
    });
}

}  // namespace petrel::cli
