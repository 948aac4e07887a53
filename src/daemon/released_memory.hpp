// What the memory of a device becomes when an operator releases everything while no agent runs.
#pragma once

#include <string>
#include <vector>

#include "watchdog/checkpoint.hpp"
#include "watchdog/event.hpp"

namespace petrel::daemon {

struct ReleasedMemory {
    std::vector<watchdog::Event> events;  // the order, then the end of each open storm
    watchdog::Checkpoint checkpoint;
};

// Only its repair or a reboot ends this latch.
bool is_latched_nic(const watchdog::Checkpoint::Row&);

// The checkpoint keeps statistics and latched NICs, but no other storm, latch or order, so that the next start has no
// reason to treat a queue.
ReleasedMemory release_memory(watchdog::Checkpoint, const std::string& by);

}  // namespace petrel::daemon
