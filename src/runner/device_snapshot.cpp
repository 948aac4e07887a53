#include "runner/device_snapshot.hpp"

namespace petrel::runner {

namespace {

using watchdog::Phase;

control::IntervalReport interval_report(Duration configured, const device::TimerShown& shown)
{
    const auto in_us = [](const std::optional<Duration>& time) {
        return time ? std::optional{whole_us(*time)} : std::nullopt;
    };
    return {whole_us(configured), in_us(shown.programmed), in_us(shown.observed)};
}

}  // namespace

RowState row_state(const watchdog::Watchdog& dog, Slot slot, Instant now)
{
    return {dog.phase(slot), dog.in_effect(slot), dog.proven(slot), dog.stats(slot, now), false, dog.held(slot)};
}

control::QueueReport queue_report(const std::string& device, const watchdog::Watchlist& list,
                                  const Delegations& delegations, Slot slot, const RowState& row)
{
    const auto& target = list.inventory.rows[slot.value].target;
    const auto& effective = list.rows[slot.value];
    const auto& stats = row.stats;
    control::QueueReport report;
    report.device = device;
    report.port = list.inventory.ports[target.port.index].name;
    if (target.priority) {
        report.priority = target.priority->value;
    }
    if (effective.policy != watchdog::kUnwatched) {
        const auto& policy = list.policies[effective.policy];
        const auto found = delegations.find(slot);
        const auto by_device = found == delegations.end() ? device::Delegated{} : found->second;
        report.policy = policy.name;
        report.configured = policy.action;
        report.effective = effective.action;
        report.detect_interval = interval_report(policy.detect, by_device.detect);
        report.restore_interval = interval_report(policy.restore, by_device.restore);
    }
    report.phase = row.unseen && row.phase == Phase::watching ? std::nullopt : std::optional{row.phase};
    report.held = row.held;
    report.observed = row.in_effect;
    report.proven_us = whole_us(row.proven);
    report.detected = stats.detected;
    report.restored = stats.restored;
    report.red_switched = stats.red_switched;
    report.red_released = stats.red_released;
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
    report.host_facing = list.inventory.rows[slot.value].host_facing;
    report.lossless = list.inventory.rows[slot.value].lossless;
    return report;
}

control::QueueReport queue_report(const DeviceSnapshot& snapshot, Slot slot)
{
    return queue_report(snapshot.device, *snapshot.list, *snapshot.delegations, slot, snapshot.rows[slot.value]);
}

void count_rows(const DeviceSnapshot& snapshot, control::DeviceReport& report)
{
    for (std::size_t row = 0; row != snapshot.rows.size(); ++row) {
        const auto phase = snapshot.rows[row].phase;
        const auto policy = snapshot.list->rows[row].policy;
        const bool watched = policy != watchdog::kUnwatched && !snapshot.rows[row].unseen;
        const bool nic = policy != watchdog::kUnwatched &&
                         snapshot.list->policies[policy].criterion == watchdog::Criterion::receive_stall;
        const bool whole_port = !snapshot.list->inventory.rows[row].target.priority;
        report.watched += watched ? 1U : 0U;
        report.watched_ports += watched && whole_port ? 1U : 0U;
        report.held += snapshot.rows[row].held ? 1U : 0U;
        report.alerted += phase == Phase::alerted ? 1U : 0U;
        report.latched += phase == Phase::latched ? 1U : 0U;
        report.latched_nics += nic && phase == Phase::latched ? 1U : 0U;
        const bool treated = phase == Phase::mitigating || phase == Phase::mitigated || phase == Phase::latched ||
                             phase == Phase::restoring;
        report.mitigated += treated ? 1U : 0U;
        report.detected += snapshot.rows[row].stats.detected;
        report.restored += snapshot.rows[row].stats.restored;
    }
}

}  // namespace petrel::runner
