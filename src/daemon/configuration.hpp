// Rules that the service applies to an agent's configuration: names, policies of the NOS, changes at a reload.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "config/policy_bind.hpp"

namespace petrel::daemon {

// An agent without a name takes the name of its host.
config::AgentConfig named(config::AgentConfig);

// The policies of the NOS with the limits and roles of the agent's own file. Policies of the file that name ports come
// last, so that they apply to these ports; other policies of the file are not used. Ports keep the name of their file,
// for complaints.
config::PolicyFile with_own(config::PolicyFile policies, const config::PolicyFile& own);

// The policies in force, weakest first, because later ones win: those of the NOS, or of the file without ports; those
// that an operator has pushed; those of the file that name ports. With a NOS, none before its first configuration.
config::PolicyFile in_layers(const config::PolicyFile& own, const config::PolicyFile& pushed, bool by_nos,
                             const config::PolicyFile* of_nos);

// The policies of a file that name ports, in its order: by port, the policy as text
// ("rdma-switch (lossless-off, 200 ms, 200 ms)"). If it does not watch the port on any of the devices, the text states
// why.
std::map<std::string, std::string> policies_by_port(const config::PolicyFile&, std::span<const config::DeviceRows>);

// Describes the first few sets: "pfcwd-drop-400-2000 on 32 ports". Sets of the same name differ in their priorities:
// "pfcwd-drop-400-2000 (priorities 3) on 1 port".
std::string sets_text(const std::vector<config::PolicyEntry>& sets);

// Why a policy of the file is not used while the NOS configures the policies, as a sentence each.
std::vector<std::string> unused_policies(const config::PolicyFile&, std::string_view nos);

// Why a policy watches no queue, as a sentence.
std::string idle_text(const config::PolicyEntry&);

// Why a policy for server-facing ports does not watch these of its ports, as a sentence.
std::string unwatched_text(const config::PolicyEntry&, const std::vector<std::string>& ports);

// Whether the name is valid for a device. Names of files contain it.
bool good_name(std::string_view name);

// The settings that differ and cannot change while the agent runs.
std::vector<Complaint> what_needs_a_restart(const config::AgentConfig& now, const config::AgentConfig& next);

}  // namespace petrel::daemon
