// Checks a topology that was written by hand; generators create valid ones. Routes, Lookup and the twin require a valid
// topology.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace petrel::topology {

// All problems, one sentence each; empty = valid. Ports without a link are allowed.
std::vector<std::string> problems(const Topology&);

}  // namespace petrel::topology
