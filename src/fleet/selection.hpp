// Finds the agents that an order is for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fleet/command.hpp"

namespace petrel::fleet {

struct KnownAgents {
    std::set<std::string> agents;                  // that have reported
    std::map<std::string, std::string> of_device;  // the agent of each device
    std::vector<AgentPlace> places;
};

// In the order of names. Fails if a name is not known, if no agent is left, or if an order that changes something has
// no selection.
Result<std::vector<std::string>> select(const Order&, const KnownAgents&);

}  // namespace petrel::fleet
