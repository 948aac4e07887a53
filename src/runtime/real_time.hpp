// Real-time priority for the threads that watch, so that other load of the machine does not delay them.
#pragma once

#include <string>

namespace petrel::runtime {

// Gives the calling thread the lowest priority of SCHED_FIFO, and keeps the memory of the process from being swapped
// out. Threads that it starts do not inherit the priority. Returns what is not permitted and how to permit it; empty =
// both are done.
std::string run_in_real_time();

}  // namespace petrel::runtime
