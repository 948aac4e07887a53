// Is this a topology at all? For those that people write down; what the generators make is sound. Everything else here
// (routes, lookup) and the twin take a sound one for granted.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace petrel::topology {

// All that is wrong, one sentence each; nothing means sound. Ports without a link are fine.
std::vector<std::string> problems(const Topology&);

}  // namespace petrel::topology
