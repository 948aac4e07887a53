// Puts what goes wrong with an agent on the agenda of its node.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "lab/agent_in_twin.hpp"
#include "scenario/agent_fault.hpp"

namespace petrel::lab {

// Those of the agent's own device. Complains where new policies ask for what the device cannot tell.
std::vector<Complaint> schedule(std::span<const scenario::AgentFault>, twin::NodeId device, AgentInTwin&);

}  // namespace petrel::lab
