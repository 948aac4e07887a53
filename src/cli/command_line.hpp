// Parses a command line and runs the command that it names (commands.hpp).
#pragma once

#include "cli/agent_command.hpp"
#include "terminal/exit_code.hpp"
#include "twin/peers.hpp"

namespace petrel::cli {

// The exit code of the command, or all problems of the command line at once.
Parsed<ExitCode> run_command_line(int argc, const char* const* argv, twin::Peers*, const AgentExtras*);

}  // namespace petrel::cli
