// The rows that the tables of commands of all programs with an agent have in common.
#pragma once

#include <vector>

#include "cli/agent/command.hpp"

namespace petrel::cli {

inline constexpr auto kGeneral = "Subcommands";  // a group of the help

std::vector<Command> config_commands();
// Below the command `link`. `show`: the links of a manager, if one is named; null: this program asks no manager.
std::vector<Command> link_commands(ExitCode (*show)(const ControlOptions&) = nullptr);
std::vector<Command> running_agent_commands();  // a group of its own

}  // namespace petrel::cli
