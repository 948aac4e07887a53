#include "daemon/sonic/stale_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <ranges>
#include <utility>

namespace petrel::daemon {

namespace {

using sonic::Db;
using watchdog::Treatment;

constexpr Duration kCheckEvery = std::chrono::seconds{1};
constexpr std::size_t kMostNamed = 16;

std::string text_of(Treatment shown, Treatment applied, const std::vector<std::string>& ports)
{
    const auto unnamed = ports.size() - std::min(ports.size(), kMostNamed);
    return fmt::format(
        "orchagent shows the action {} and still applies {} on {}{}: PFC_WD was changed in place; `pfcwd start ...` "
        "for these ports applies it",
        action_name(shown), action_name(applied), fmt::join(ports | std::views::take(kMostNamed), ", "),
        unnamed == 0 ? "" : fmt::format(", and {} more", unnamed));
}

}  // namespace

void StaleActions::follow(const sonic::Config& config)
{
    if (!config.removed_entries) {
        entries_.clear();
    } else {
        for (const auto& port : *config.removed_entries) {
            entries_.erase(port);
        }
    }
    if (config.big_red_switch) {
        return;  // orchagent keeps the actions of its queues meanwhile
    }
    const auto before = std::exchange(entries_, {});
    for (const auto& policy : config.policies.policies) {
        const auto shown = policy.policy.action;
        const auto priority = std::countr_zero(policy.policy.priorities);
        for (const auto& port : policy.ports) {
            auto& entry = entries_[port.name];
            const auto known = before.find(port.name);
            entry.shown = shown;
            entry.applied = known != before.end() ? known->second.applied : shown;
            entry.queue = fmt::format("{}:{}", port.name, priority);
            if (shown != entry.applied) {
                entry.doubt = shown == known->second.shown ? known->second.doubt : Doubt::new_change;
            }
        }
    }
}

std::map<StaleActions::Actions, StaleActions::Names> StaleActions::ports_in(Doubt doubt) const
{
    std::map<Actions, Names> ports;
    for (const auto& [port, entry] : entries_) {
        if (entry.doubt == doubt) {
            ports[{entry.shown, entry.applied}].push_back(port);
        }
    }
    return ports;
}

void StaleActions::confirm(std::vector<Log::Line>& lines)
{
    for (const auto& [actions, ports] : ports_in(Doubt::to_report)) {
        lines.push_back(
            {Log::Level::warning, "action_not_applied", {}, {}, text_of(actions.first, actions.second, ports), {}});
    }
    for (auto& [port, entry] : entries_) {
        entry.doubt = entry.doubt == Doubt::new_change  ? Doubt::to_report
                      : entry.doubt == Doubt::to_report ? Doubt::reported
                                                        : entry.doubt;
    }
}

std::string StaleActions::concern() const
{
    const auto stale = ports_in(Doubt::reported);
    if (stale.empty()) {
        return {};
    }
    const auto& [actions, ports] = *stale.begin();
    return text_of(actions.first, actions.second, ports) +
           (stale.size() > 1 ? fmt::format(" (and {} more pairs of actions)", stale.size() - 1) : "");
}

Result<void> StaleActions::forget_unregistered(sonic::Store& store, Instant now)
{
    std::vector<Entry*> stale;
    for (auto& [port, entry] : entries_) {
        if (entry.shown != entry.applied) {
            stale.push_back(&entry);
        }
    }
    if (stale.empty() || now < check_at_) {
        return {};
    }
    check_at_ = now + kCheckEvery;
    const std::array map{std::string{"COUNTERS_QUEUE_NAME_MAP"}};
    return store.hashes(Db::counters, map)
        .and_then([&](const std::vector<sonic::Hash>& names) {
            std::vector<std::string> keys;
            for (const auto* entry : stale) {
                const auto at = names.front().find(entry->queue);
                keys.push_back("COUNTERS:" + (at != names.front().end() ? at->second : ""));
            }
            return store.hashes(Db::counters, keys);
        })
        .map([&](const std::vector<sonic::Hash>& queues) {
            for (std::size_t i = 0; i != stale.size(); ++i) {
                if (!queues[i].contains("PFC_WD_DETECTION_TIME")) {
                    stale[i]->applied = stale[i]->shown;
                    stale[i]->doubt = Doubt::none;
                }
            }
        });
}

}  // namespace petrel::daemon
