// Runs a recorded trace of one device through the production agent. The trace supplies the time: samples of the same
// time are one look. Between two looks only timers run, because a recording cannot perform further looks. Every command
// is confirmed at once. The same trace and policies always give the same result.
#pragma once

#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "device/replay/pace.hpp"
#include "device/replay/trace.hpp"
#include "watchdog/policy.hpp"

namespace petrel::runtime {

// From `at` on the row is in this phase.
struct PhaseChange {
    Slot slot;
    Instant at;
    watchdog::Phase phase{};
};

struct Replayed {
    std::string device;
    watchdog::Watchlist watchlist;  // maps the rows and policies of the other fields to names
    std::vector<watchdog::Event> events;
    std::vector<PhaseChange> phases;          // in order of time; every row begins as watching or off
    std::vector<watchdog::QueueStats> stats;  // stats[slot], at the end of the trace
    std::vector<watchdog::Phase> last_phase;  // [slot], at the end of the trace
    // Why the trace cannot show whether there were storms, for policies and queues. Without a storm and without a
    // reason here, there was none that is long enough.
    std::vector<std::string> unjudged;
};

Parsed<Replayed> replay(const device::DeviceTrace&, const device::Pace&, const watchdog::PolicyBook&);

}  // namespace petrel::runtime
