// Policies that watch nothing, or not all ports that they name: log, status, and the tables of the NOS name them.
#include <algorithm>
#include <utility>

#include "config/policy_bind.hpp"
#include "daemon/configuration.hpp"
#include "daemon/service.hpp"

namespace petrel::daemon {

// A policy that watches no queue, or not all ports that it names, is an error: the operator expects it to find storms.
// That is known when all devices are watched, and again whenever their policies or queues change.
void Service::follow_unwatched_ports()
{
    std::vector<std::uint64_t> watchlists;
    for (const auto& runner : runners_) {
        if (runner->agent() == nullptr) {
            return;  // this device may have the queues
        }
        watchlists.push_back(runner->watchlist_generation());
    }
    if (std::exchange(unwatched_followed_, watchlists) == watchlists) {
        return;
    }
    std::vector<config::DeviceRows> devices;
    for (const auto& runner : runners_) {
        devices.push_back({runner->name(), *runner->inventory()});
    }
    list_idle_policies(devices);
    if (nos_) {
        auto own = config_.policies;
        own.server_ports = policies_->file().server_ports;
        nos_->set_overrides(policies_by_port(own, devices));
    }
}

void Service::list_idle_policies(std::span<const config::DeviceRows> devices)
{
    const auto before = std::exchange(idle_policies_, {});
    if (nos_) {
        idle_policies_ = unused_policies(config_.policies, nos_->name());
    }
    const auto& file = policies_->file();
    const auto idle = config::idle_policies(file, devices);
    for (const auto position : idle) {
        idle_policies_.push_back(idle_text(file.policies[position]));
    }
    for (const auto& [position, ports] : config::unwatched_ports(file, devices)) {
        if (std::ranges::find(idle, position) == idle.end()) {
            idle_policies_.push_back(unwatched_text(file.policies[position], ports));
        }
    }
    for (const auto& why : idle_policies_) {
        if (std::ranges::find(before, why) == before.end()) {
            note(Log::Level::error, "policy_idle", why);
        }
    }
}

}  // namespace petrel::daemon
