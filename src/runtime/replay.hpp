// Runs a recorded trace of one device through the real agent. Time is what the trace says: rows of one time are one
// look, and between two looks only timers run, since a recording cannot be asked again. Commands are taken as applied
// at once. The same trace and policies always give the same result.
#pragma once

#include <string>
#include <vector>

#include "agent/agent.hpp"
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
    watchdog::Watchlist watchlist;  // names everything that the rest speaks of
    std::vector<watchdog::Event> events;
    std::vector<PhaseChange> phases;          // in order of time; every row begins as watching or off
    std::vector<watchdog::QueueStats> stats;  // stats[slot], at the end of the trace
    std::vector<watchdog::Phase> last_phase;  // [slot], at the end of the trace
};

Parsed<Replayed> replay(const device::DeviceTrace&, const watchdog::PolicyBook&);

}  // namespace petrel::runtime
