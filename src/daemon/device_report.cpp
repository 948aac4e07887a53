// What is shown of a device and its queues, to whoever asks at the control socket or for metrics.
#include <fmt/format.h>

#include <algorithm>

#include "codec/event_json.hpp"
#include "daemon/device_runner.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

namespace {

using watchdog::Phase;

void count_rows(const watchdog::Watchdog& dog, Instant now, codec::DeviceReport& report)
{
    const auto& list = dog.watchlist();
    for (std::uint32_t row = 0; row != list.rows.size(); ++row) {
        const auto phase = dog.phase(Slot{row});
        report.watched += list.rows[row].policy != watchdog::kUnwatched ? 1U : 0U;
        report.alerted += phase == Phase::alerted ? 1U : 0U;
        report.latched += phase == Phase::latched ? 1U : 0U;
        const bool treated = phase == Phase::mitigating || phase == Phase::mitigated || phase == Phase::latched ||
                             phase == Phase::restoring;
        report.mitigated += treated ? 1U : 0U;
        const auto stats = dog.stats(Slot{row}, now);
        report.detected += stats.detected;
        report.restored += stats.restored;
    }
}

codec::IntervalReport interval_report(Duration configured, const device::TimerShown& shown)
{
    const auto in_us = [](const std::optional<Duration>& time) {
        return time ? std::optional{whole_us(*time)} : std::nullopt;
    };
    return {whole_us(configured), in_us(shown.programmed), in_us(shown.observed)};
}

}  // namespace

codec::DeviceReport DeviceRunner::report() const
{
    const auto now = loop_.now().mono;
    codec::DeviceReport report;
    report.name = name();
    report.driver = setup_.entry.driver;
    report.condition = condition_;
    report.why = why_;
    report.condition_ms = whole_ms(now - condition_since_);
    report.last_look_us = whole_us(last_look_);
    report.longest_look_us = whole_us(longest_look_);
    report.device_notes = notes_;
    report.commands = commands_done_;
    report.commands_failed = commands_failed_;
    report.inventory_changes = inventory_changes_;
    if (opened_) {
        const auto& rows = opened_->inventory.rows;
        report.ports = static_cast<std::uint32_t>(opened_->inventory.ports.size());
        report.queues = static_cast<std::uint32_t>(
            std::ranges::count_if(rows, [](const auto& row) { return row.target.priority.has_value(); }));
    }
    if (agent_) {
        const auto& dog = agent_->watchdog();
        const auto& counters = agent_->counters();
        report.poll_us = whole_us(dog.watchlist().poll);
        report.notes = dog.watchlist().notes;
        report.looks = counters.looks;
        report.polls_missed = counters.polls_missed;
        report.looks_overdue = counters.looks_overdue;
        report.looks_failed = counters.looks_failed;
        count_rows(dog, now, report);
    }
    return report;
}

const device::SelfWatched* DeviceRunner::self_watched(Slot row) const
{
    const auto found = self_watched_.find(row);
    return found == self_watched_.end() ? nullptr : &found->second;
}

DeviceRunner::Decision DeviceRunner::last_decision(const Target& target) const
{
    Decision decision;
    const auto& list = agent_->watchdog().watchlist();
    const auto& events = state_->events();
    if (const auto known = last_.find(target); known != last_.end()) {
        const auto& event = known->second;
        decision.words.push_back(fmt::format("{}: {}", watchdog::name(event.kind), evidence_text(event, list)));
        const auto looks = std::min<std::size_t>(event.evidence.looks, event.evidence.last.size());
        for (std::size_t i = 0; i < looks; ++i) {
            decision.words.push_back("  " + interval_text(event.evidence.last[i]));
        }
        const auto stored = std::ranges::lower_bound(events, event.seq, {}, &runtime::StoredEvent::seq);
        decision.json = stored != events.end() && stored->seq == event.seq ? stored->json : "";
        return decision;
    }
    const auto& port = list.inventory.ports[target.port.index].name;
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
        if (codec::is_about(event->json, port, target.priority)) {
            decision.json = event->json;
            break;
        }
    }
    return decision;
}

codec::QueueReport queue_report(const DeviceRunner& runner, Slot slot, Instant now)
{
    const auto& dog = runner.agent()->watchdog();
    const auto& list = dog.watchlist();
    const auto& target = list.inventory.rows[slot.value].target;
    const auto& effective = list.rows[slot.value];
    const auto stats = dog.stats(slot, now);
    codec::QueueReport report;
    report.device = runner.name();
    report.port = list.inventory.ports[target.port.index].name;
    if (target.priority) {
        report.priority = target.priority->value;
    }
    if (effective.policy != watchdog::kUnwatched) {
        const auto& policy = list.policies[effective.policy];
        const auto* by_device = runner.self_watched(slot);
        report.policy = policy.name;
        report.configured = watchdog::action_name(policy.action);
        report.effective = watchdog::action_name(effective.action);
        report.detect_interval = interval_report(policy.detect, by_device ? by_device->detect : device::TimerShown{});
        report.restore_interval =
            interval_report(policy.restore, by_device ? by_device->restore : device::TimerShown{});
    }
    report.phase = name(dog.phase(slot));
    const auto observed = dog.in_effect(slot);
    report.observed = observed == watchdog::Treatment::none ? "none" : watchdog::action_name(observed);
    report.proven_us = whole_us(dog.proven(slot));
    report.detected = stats.detected;
    report.restored = stats.restored;
    report.tx_ok = stats.tx_ok;
    report.tx_drop = stats.tx_drop;
    report.rx_ok = stats.rx_ok;
    report.rx_drop = stats.rx_drop;
    report.tx_ok_last = stats.tx_ok_last;
    report.tx_drop_last = stats.tx_drop_last;
    report.rx_ok_last = stats.rx_ok_last;
    report.rx_drop_last = stats.rx_drop_last;
    report.in_storm_us = whole_us(stats.in_storm);
    report.longest_pause_us = whole_us(stats.longest_pause);
    return report;
}

std::optional<Target> find_target(const watchdog::Inventory& inventory, std::string_view queue)
{
    for (const auto& row : inventory.rows) {
        if (to_string(inventory, row.target) == queue) {
            return row.target;
        }
    }
    for (std::uint16_t index = 0; const auto& port : inventory.ports) {
        if (port.name == queue || (!port.xname.empty() && port.xname == queue)) {
            return Target{{inventory.rows.empty() ? DeviceId{} : inventory.rows.front().target.port.device, index},
                          std::nullopt};
        }
        ++index;
    }
    return std::nullopt;
}

}  // namespace petrel::daemon
