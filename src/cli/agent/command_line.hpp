// Parses a command line and runs the command that it names.
#pragma once

#include <string_view>
#include <vector>

#include "cli/agent/agent_command.hpp"
#include "cli/agent/command.hpp"
#include "terminal/exit_code.hpp"
#include "twin/peers.hpp"

namespace petrel::cli {

struct Program {
    std::string_view name;   // as the help shows it
    std::string_view about;  // one line
    std::string_view examples;
    std::vector<Command> (*commands)();  // in the order of the help; a command comes after the one above it
    AgentParts parts;
};

// The exit code of the command, or all problems of the command line at once.
Parsed<ExitCode> run_command_line(const Program&, int argc, const char* const* argv, twin::Peers*, const AgentExtras*);

// Prints the problems of a command line.
ExitCode refuse_command_line(const std::vector<Complaint>&);

}  // namespace petrel::cli
