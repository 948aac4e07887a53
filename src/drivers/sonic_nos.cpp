#include "drivers/sonic_nos.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "daemon/sonic/own_tables.hpp"
#include "daemon/sonic/several_asics.hpp"
#include "daemon/sonic/sonic_nos.hpp"
#include "sonic/find_databases.hpp"

namespace petrel::drivers {

namespace {

bool is_sonic_switch(const config::DeviceEntry& device) { return device.driver.starts_with("sonic:"); }

// Each device brings its own.
Result<std::unique_ptr<daemon::Nos>> make_nos_of_devices(const config::AgentConfig& config,
                                                         std::span<daemon::Driver* const> drivers,
                                                         const device::TimeSource& clock)
{
    std::vector<std::pair<std::string, std::unique_ptr<daemon::Nos>>> each;
    for (const auto& given : config.devices) {
        auto* driver = daemon::find_driver(drivers, given);
        if (driver == nullptr || !driver->has_policies()) {
            return tl::unexpected(
                Error{ErrorKind::invalid, "an agent with a device 'sonic:...' has no devices of other kinds"});
        }
        const auto expanded = driver->expand(given);
        if (!expanded) {
            return tl::unexpected(expanded.error());
        }
        for (const auto& entry : *expanded) {
            auto nos = driver->make_nos(entry, clock);
            if (!nos) {
                return tl::unexpected(nos.error());
            }
            each.emplace_back(entry.name, std::move(*nos));
        }
    }
    if (each.size() == 1) {
        return std::move(each.front().second);
    }
    auto several = std::make_unique<daemon::SeveralAsics>(clock);
    for (auto& [device, nos] : each) {
        several->add(std::move(device), std::move(nos));
    }
    return several;
}

}  // namespace

config::AgentConfig with_one_address(config::AgentConfig config)
{
    for (auto& device : config.devices) {
        if (is_sonic_switch(device) && !config.redis.empty()) {
            device.driver = "sonic:" + config.redis;
        }
    }
    return config;
}

// A SONiC device implies SONiC's configuration, and orchagent mitigates there. Devices of other kinds are mitigated by
// the agent alone.
Result<std::unique_ptr<daemon::Nos>> make_nos(const config::AgentConfig& config,
                                              std::span<daemon::Driver* const> drivers, const device::TimeSource& clock)
{
    const bool detects = std::ranges::any_of(config.devices, is_sonic_switch);
    if (config.nos == config::NosKind::none && !detects) {
        return nullptr;
    }
    if (config.nos == config::NosKind::own) {
        if (detects) {
            return tl::unexpected(
                Error{ErrorKind::invalid, "a device 'sonic:...' uses SONiC's tables: nos = 'own' is not allowed"});
        }
        return daemon::OwnTables::open(config.state_dir / "tables.json")
            .map([](std::unique_ptr<daemon::OwnTables> tables) -> std::unique_ptr<daemon::Nos> { return tables; });
    }
    if (detects) {
        return make_nos_of_devices(config, drivers, clock);
    }
    return sonic::find_databases(config.redis)
        .map([&](const sonic::Databases& databases) -> std::unique_ptr<daemon::Nos> {
            return std::make_unique<daemon::SonicNos>(databases, sonic::Role::owner,
                                                      config.state_dir / "config_db.json", clock);
        });
}

}  // namespace petrel::drivers
