// The results of a replay, to be shown as text, JSON lines or a page: one run per policy, each over all devices of the
// trace.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/replay/trace.hpp"
#include "runtime/replay.hpp"

namespace petrel::reports {

// A queue (or port row) of one device of the trace.
struct QueueRef {
    std::size_t device{};
    Slot slot;
    auto operator<=>(const QueueRef&) const = default;
};

struct EventRef {
    std::size_t device{};
    const watchdog::Event* event{};
};

struct PolicyRun {
    std::string label;
    std::vector<runtime::Replayed> devices;              // as in the trace
    std::map<QueueRef, std::vector<EventRef>> by_queue;  // the same events by queue; only queues with events
};

struct ReplayReport {
    std::string trace_name;
    device::Trace trace;
    std::vector<PolicyRun> runs;
};

PolicyRun make_run(std::string label, std::vector<runtime::Replayed> devices);

// The result of one policy for one queue.
struct QueueResult {
    std::optional<Instant> detected;  // the first time
    std::optional<Instant> restored;  // the last time
    watchdog::Phase at_end{};
    Duration in_storm{};
    std::uint64_t storms{};
};

struct RunTotals {
    std::uint64_t storms{};
    std::size_t stormed_queues{};
    std::size_t watched_queues{};
};

std::vector<EventRef> events_in_time(const PolicyRun&);  // of all devices together
const std::vector<EventRef>& events_of(const PolicyRun&, QueueRef);
std::vector<QueueRef> queues_with_events(const ReplayReport&);  // under any policy; in the order of the trace
QueueResult result_of(const PolicyRun&, QueueRef);

// The end of the last storm ("5.400000"); if it goes on at the end of the trace, its phase ("still latched"); else
// empty.
std::string restored_text(const QueueResult&);
RunTotals totals(const PolicyRun&);
bool any_storm(const ReplayReport&);
std::string queue_text(const ReplayReport&, QueueRef);  // "sw0:Ethernet4:3"

// From the first to the last row over all devices.
struct Period {
    Instant from;
    Instant to;
};
Period period(const device::Trace&);

}  // namespace petrel::reports
