#include "cli/sonic_driver.hpp"

#include "device/sonic/sonic_device.hpp"
#include "sonic/find_databases.hpp"

namespace petrel::cli {

namespace {

Result<sonic::Databases> databases_of(const codec::DeviceEntry& entry)
{
    const auto where = std::string_view{entry.driver}.substr(entry.driver.find(':') + 1);
    return sonic::find_databases(where == "local" ? "" : where);
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
