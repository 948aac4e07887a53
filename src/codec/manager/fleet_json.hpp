// Orders of operators and commands for agents as JSON, on the manager's side: docs/manager.md, docs/openapi.yaml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fleet/command.hpp"

namespace petrel::codec {

// An agent's request for commands.
struct CommandPoll {
    std::vector<fleet::CommandResult> results;
    Duration wait{};  // how long the manager may hold it
};
Result<CommandPoll> read_command_poll(std::string_view body);
std::string commands_json(const std::vector<fleet::Delivery>&, Duration held);

Result<fleet::Order> read_fleet_order(std::string_view body);
std::string rollout_json(const fleet::ShownRollout&);
std::string rollouts_json(const std::vector<fleet::ShownRollout>&);

// For the manager's store.
std::string plan_json(const fleet::RolloutPlan&);
Result<fleet::RolloutPlan> read_plan(std::string_view text);

// The file of agents:
//
//   [[agent]]
//   name = "leaf3"
//   rack = "r1"
//   role = "leaf"
Parsed<std::vector<fleet::AgentPlace>> read_fleet_file(std::string_view text, std::string_view file);

}  // namespace petrel::codec
