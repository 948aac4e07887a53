// Rules that the service applies to an agent's configuration: names, policies of the NOS, changes at a reload.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/agent_config.hpp"

namespace petrel::daemon {

// An agent without a name takes the name of its host.
codec::AgentConfig named(codec::AgentConfig);

// The policies of the NOS with the limits and roles of the agent's own file.
codec::PolicyFile with_own(codec::PolicyFile policies, const codec::PolicyFile& own);

// Describes the first few sets: "pfcwd-drop-400-2000 on 32 ports". Sets of the same name differ in their priorities:
// "pfcwd-drop-400-2000 (priorities 3) on 1 port".
std::string sets_text(const std::vector<codec::PolicyEntry>& sets);

// Whether the name is valid for a device. Names of files contain it.
bool good_name(std::string_view name);

// The settings that differ and cannot change while the agent runs.
std::vector<Complaint> what_needs_a_restart(const codec::AgentConfig& now, const codec::AgentConfig& next);

}  // namespace petrel::daemon
