// The rows that the tables of commands of all programs with an agent have in common.
#pragma once

#include <vector>

#include "cli/agent/command.hpp"

namespace petrel::cli {

inline constexpr auto kGeneral = "Subcommands";  // a group of the help

std::vector<Command> config_commands();
std::vector<Command> link_commands();           // below the command `link`
std::vector<Command> running_agent_commands();  // a group of its own

}  // namespace petrel::cli
