// Draws a scenario from a number: fabric, speeds, buffers, traffic, policies, storms, and faults of the fabric, of the
// devices and of the agents. The same number always gives the same draft.
//
// Every drawn fault ends at the `calm`, every agent runs then, and the run goes on for as long as any drawn policy may
// need to restore a queue. Fabrics are small and timers short, so that a core executes many runs in a second.
#pragma once

#include <cstdint>

#include "swarm/draft.hpp"

namespace petrel::swarm {

Draft draw(std::uint64_t seed);

}  // namespace petrel::swarm
