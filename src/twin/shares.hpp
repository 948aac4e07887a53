// Who runs which node when several processes share a twin.
#pragma once

#include <vector>

#include "topology/topology.hpp"

namespace petrel::twin {

// By node: the process, below `count`. Every tier of switches is dealt out in the order of its numbers, by ports, since
// those make the work; generators number pod by pod, so a pod stays together where it can. A host goes with its switch.
std::vector<unsigned> shares(const topology::Topology&, unsigned count);

}  // namespace petrel::twin
