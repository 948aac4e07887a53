// Schedules a scenario's agent faults on the agent's node of the twin.
#pragma once

#include <span>
#include <vector>

#include "base/result.hpp"
#include "lab/agent_in_twin.hpp"
#include "scenario/agent_fault.hpp"

namespace petrel::lab {

// Schedules the faults of this device. Returns complaints about new policies that the device's capabilities do not
// support.
std::vector<Complaint> schedule(std::span<const scenario::AgentFault>, twin::NodeId device, AgentInTwin&);

}  // namespace petrel::lab
