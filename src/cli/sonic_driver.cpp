#include "cli/sonic_driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>

#include "codec/sonic_databases.hpp"
#include "device/sonic/sonic_device.hpp"
#include "sonic/find_databases.hpp"

namespace petrel::cli {

Result<sonic::Databases> SonicDriver::databases_of(const codec::DeviceEntry& entry) const
{
    const auto where = std::string_view{entry.driver}.substr(entry.driver.find(':') + 1);
    if (where != "local") {
        return sonic::find_databases(where);
    }
    std::ifstream file{asics_};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (const auto names = codec::read_asic_names(text); !names.empty()) {
        return tl::unexpected(Error{
            ErrorKind::unsupported,
            fmt::format(
                "this switch has several ASICs ({}, by {}) and sonic:local would be none of them: a device is one "
                "of them, named by its databases, as in sonic:unix:///var/run/redis0/redis.sock",
                fmt::join(names, ", "), asics_.string())});
    }
    return sonic::find_databases("");
}

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

Result<void> SonicDriver::put_back(const codec::DeviceEntry& entry)
{
    return databases_of(entry).and_then([&](const sonic::Databases& databases) {
        sonic::RedisStore store{databases, device::sonic::Settings{}.redis};
        return device::sonic::Plugins{store, databases}.put_back().map([](bool) {});
    });
}

}  // namespace petrel::cli
