// Ports that no device has, and policies that watch nothing, or not all ports that they name: log, status, and the
// tables of the NOS name them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/complaint_text.hpp"
#include "config/policy_bind.hpp"
#include "daemon/configuration.hpp"
#include "daemon/service.hpp"

namespace petrel::daemon {

// A policy that watches no queue, or not all ports that it names, is an error: the operator expects it to find storms.
// So is a port that no device has. That is known when all devices are watched, and again whenever their policies or
// queues change.
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
    list_unknown_ports();
    list_idle_policies(devices);
    if (nos_) {
        auto own = config_.policies;
        own.server_ports = policies_->file().server_ports;
        nos_->set_overrides(policies_by_port(own, devices));
    }
}

// The other ports are watched all the same.
void Service::list_unknown_ports()
{
    std::vector<const watchdog::Inventory*> inventories;
    std::ranges::transform(runners_, std::back_inserter(inventories),
                           [](const auto& runner) { return runner->inventory(); });
    const auto before = std::exchange(unknown_ports_, {});
    for (const auto& complaint : config::unknown_ports(config_.policies, inventories)) {
        unknown_ports_.push_back(to_text(complaint));
        if (std::ranges::find(before, unknown_ports_.back()) == before.end()) {
            note(Log::Level::warning, "unknown_port", unknown_ports_.back());
        }
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
