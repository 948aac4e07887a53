#include "drivers/sonic_driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "daemon/sonic/sonic_nos.hpp"
#include "device/sonic/sonic_device.hpp"

namespace petrel::drivers {

namespace {

constexpr std::string_view kLocal = "local";

std::string_view where_of(const config::DeviceEntry& entry)
{
    return std::string_view{entry.driver}.substr(entry.driver.find(':') + 1);
}

bool is_address(std::string_view place) { return place.find("://") != std::string_view::npos; }

}  // namespace

Result<sonic::Databases> SonicDriver::databases_of(const config::DeviceEntry& entry) const
{
    const auto place = where_of(entry);
    if (is_address(place)) {
        return sonic::find_databases(place);
    }
    const auto asics = sonic::find_asics(asics_);
    if (!asics) {
        return tl::unexpected(asics.error());
    }
    if (place == kLocal && asics->empty()) {
        return sonic::find_databases("");
    }
    if (const auto asic = std::ranges::find(*asics, place, &sonic::Asic::name); asic != asics->end()) {
        return asic->databases;
    }
    return tl::unexpected(Error{
        ErrorKind::invalid,
        fmt::format("'{}': allowed sonic:local, sonic:unix:///path, sonic:tcp://host:port{}", entry.driver,
                    asics->empty() ? fmt::format("; {} lists no ASICs", asics_.string())
                                   : fmt::format(", or one of {} (by {})",
                                                 fmt::join(*asics | std::views::transform(&sonic::Asic::name), ", "),
                                                 asics_.string()))});
}

// The configuration of a device is in the same databases as its counters.
Result<std::unique_ptr<daemon::Nos>> SonicDriver::make_nos(const config::DeviceEntry& entry,
                                                           const device::TimeSource& clock)
{
    return databases_of(entry).map([&](const sonic::Databases& databases) -> std::unique_ptr<daemon::Nos> {
        return std::make_unique<daemon::SonicNos>(databases, sonic::Role::detector, std::filesystem::path{}, clock);
    });
}

Result<std::vector<config::DeviceEntry>> SonicDriver::expand(const config::DeviceEntry& entry)
{
    const auto place = where_of(entry);
    if (place == kLocal) {
        const auto asics = sonic::find_asics(asics_);
        if (!asics) {
            return tl::unexpected(asics.error());
        }
        std::vector<config::DeviceEntry> each;
        for (const auto& asic : *asics) {
            auto one = entry;
            one.name = entry.name.empty() ? asic.name : fmt::format("{}-{}", entry.name, asic.name);
            one.driver = "sonic:" + asic.name;
            each.push_back(std::move(one));
        }
        if (!each.empty()) {
            return each;
        }
    }
    return databases_of(entry).map([&](const sonic::Databases&) {
        auto named = entry;
        if (named.name.empty()) {
            named.name = place == kLocal || is_address(place) ? "sonic" : std::string{place};
        }
        return std::vector{named};
    });
}

Result<std::optional<std::vector<PortNames>>> SonicDriver::ports(const config::DeviceEntry& entry)
{
    constexpr std::string_view kTable = "PORT|";
    return databases_of(entry).and_then([&](const sonic::Databases& databases) {
        sonic::RedisStore store{databases, settings_.redis};
        return store.keys(sonic::Db::config, kTable).map([&](const std::vector<std::string>& keys) {
            std::vector<PortNames> ports;
            for (const auto& key : keys) {
                ports.push_back({key.substr(kTable.size()), {}, {}});
            }
            return std::optional{std::move(ports)};
        });
    });
}

Result<std::unique_ptr<device::Device>> SonicDriver::open(const config::DeviceEntry& entry, DeviceId id,
                                                          const device::TimeSource& clock, NoteSink report)
{
    return databases_of(entry).and_then([&](const sonic::Databases& databases) {
        return device::sonic::SonicDevice::open(databases, id, clock, std::move(report), settings_)
            .map([](std::unique_ptr<device::sonic::SonicDevice> device) -> std::unique_ptr<device::Device> {
                return device;
            });
    });
}

Result<daemon::Driver::PutBack> SonicDriver::put_back(const config::DeviceEntry& entry)
{
    return databases_of(entry).and_then([&](const sonic::Databases& databases) {
        sonic::RedisStore store{databases, settings_.redis};
        device::sonic::Plugins plugins{store, databases};
        return plugins.put_back().map([&](bool any) {
            return any ? PutBack::done : plugins.refused() ? PutBack::in_use : PutBack::nothing;
        });
    });
}

// After `pfcwd stop`, orchagent has ended its treatments and has removed PFC_WD_STATUS. Without names of queues,
// nothing is known.
Result<bool> SonicDriver::shows_no_treatment(const config::DeviceEntry& entry)
{
    return databases_of(entry).and_then([&](const sonic::Databases& databases) -> Result<bool> {
        sonic::RedisStore store{databases, settings_.redis};
        const std::string names = "COUNTERS_QUEUE_NAME_MAP";
        const auto map = store.hashes(sonic::Db::counters, {&names, 1});
        if (!map) {
            return tl::unexpected(map.error());
        }
        std::vector<std::string> keys;
        for (const auto& [name, oid] : map->front()) {
            keys.push_back("COUNTERS:" + oid);
        }
        return store.hashes(sonic::Db::counters, keys).map([](const std::vector<sonic::Hash>& queues) {
            return !queues.empty() && std::ranges::none_of(queues, [](const sonic::Hash& queue) {
                const auto status = queue.find("PFC_WD_STATUS");
                return status != queue.end() && status->second == "stormed";
            });
        });
    });
}

}  // namespace petrel::drivers
