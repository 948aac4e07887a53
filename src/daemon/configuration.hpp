// Rules about an agent's configuration that the service applies: names, policies of the operating system, changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/agent_config.hpp"

namespace petrel::daemon {

// An agent without a name takes the name of its host.
codec::AgentConfig named(codec::AgentConfig);

// The policies of the operating system with the limits and roles of the agent's own file.
codec::PolicyFile with_own(codec::PolicyFile policies, const codec::PolicyFile& own);

// "pfcwd-drop-400-2000 on 32 ports", of the first few sets. Sets of one name differ in their priorities:
// "pfcwd-drop-400-2000 (priorities 3) on 1 port".
std::string sets_text(const std::vector<codec::PolicyEntry>& sets);

// Whether a device may be called so: its name becomes the name of files.
bool good_name(std::string_view name);

// What differs and cannot change while the agent runs.
std::vector<Complaint> what_needs_a_restart(const codec::AgentConfig& now, const codec::AgentConfig& next);

}  // namespace petrel::daemon
