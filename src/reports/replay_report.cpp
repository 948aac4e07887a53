#include "reports/replay_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "words/words.hpp"

namespace petrel::reports {

PolicyRun make_run(std::string label, std::vector<runtime::Replayed> devices)
{
    PolicyRun run{std::move(label), std::move(devices), {}};
    for (std::size_t device = 0; device < run.devices.size(); ++device) {
        const auto& rows = run.devices[device].watchlist.inventory.rows;
        std::map<Target, Slot> slots;
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            slots[rows[row].target] = Slot{row};
        }
        for (const auto& event : run.devices[device].events) {
            run.by_queue[{device, slots.at(event.target)}].push_back({device, &event});
        }
    }
    return run;
}

std::vector<EventRef> events_in_time(const PolicyRun& run)
{
    std::vector<EventRef> events;
    for (std::size_t device = 0; device < run.devices.size(); ++device) {
        for (const auto& event : run.devices[device].events) {
            events.push_back({device, &event});
        }
    }
    std::sort(events.begin(), events.end(), [](const EventRef& a, const EventRef& b) {
        return std::tuple{a.event->at, a.device, a.event->seq} < std::tuple{b.event->at, b.device, b.event->seq};
    });
    return events;
}

const std::vector<EventRef>& events_of(const PolicyRun& run, QueueRef queue)
{
    static const std::vector<EventRef> none;
    const auto found = run.by_queue.find(queue);
    return found == run.by_queue.end() ? none : found->second;
}

std::vector<QueueRef> queues_with_events(const ReplayReport& report)
{
    std::set<QueueRef> queues;
    for (const auto& run : report.runs) {
        for (const auto& [queue, events] : run.by_queue) {
            queues.insert(queue);
        }
    }
    return {queues.begin(), queues.end()};
}

QueueResult result_of(const PolicyRun& run, QueueRef queue)
{
    const auto& stats = run.devices[queue.device].stats[queue.slot.value];
    const auto at_end = run.devices[queue.device].last_phase[queue.slot.value];
    QueueResult result{std::nullopt, std::nullopt, at_end, stats.in_storm, stats.detected};
    for (const auto& [device, event] : events_of(run, queue)) {
        if (begins_storm(event->kind) && !result.detected) {
            result.detected = event->at;
        }
        if (ends_storm(event->kind)) {
            result.restored = event->at;
        }
    }
    return result;
}

std::string restored_text(const QueueResult& result)
{
    if (result.at_end != watchdog::Phase::watching && result.at_end != watchdog::Phase::off) {
        return fmt::format("still {}", name(result.at_end));
    }
    return result.restored ? seconds_text(*result.restored) : std::string{};
}

RunTotals totals(const PolicyRun& run)
{
    RunTotals total;
    for (const auto& replayed : run.devices) {
        for (const auto& stats : replayed.stats) {
            total.storms += stats.detected;
            total.stormed_queues += stats.detected == 0 ? 0 : 1;
        }
        total.watched_queues += static_cast<std::size_t>(
            std::count_if(replayed.watchlist.rows.begin(), replayed.watchlist.rows.end(),
                          [](const watchdog::Effective& row) { return row.policy != watchdog::kUnwatched; }));
    }
    return total;
}

bool any_storm(const ReplayReport& report)
{
    return std::any_of(report.runs.begin(), report.runs.end(), [](const PolicyRun& run) {
        const auto events = events_in_time(run);
        return std::any_of(events.begin(), events.end(), [](const EventRef& e) { return begins_storm(e.event->kind); });
    });
}

std::string queue_text(const ReplayReport& report, QueueRef queue)
{
    const auto& trace = report.trace.devices[queue.device];
    return fmt::format("{}:{}", trace.device,
                       to_string(trace.inventory, trace.inventory.rows[queue.slot.value].target));
}

Period period(const device::Trace& trace)
{
    Period whole{kNever, Instant::min()};
    for (const auto& device : trace.devices) {
        if (!device.time_us.empty()) {
            whole.from = std::min(whole.from, instant_from_us(device.time_us.front()));
            whole.to = std::max(whole.to, instant_from_us(device.time_us.back()));
        }
    }
    return whole.from > whole.to ? Period{} : whole;
}

}  // namespace petrel::reports
