// Assigns the nodes of a twin to several processes.
#pragma once

#include <vector>

#include "topology/topology.hpp"

namespace petrel::twin {

// Returns the process (0 to count - 1) of each node. Each tier of switches is divided in the order of node numbers,
// weighted by ports, because ports cause the work. Generators number nodes pod by pod, so most pods stay in one
// process. A host is in the process of its switch.
std::vector<unsigned> shares(const topology::Topology&, unsigned count);

}  // namespace petrel::twin
