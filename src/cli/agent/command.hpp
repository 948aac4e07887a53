// A command of petrel: a row of the table in commands.cpp. Help, completion and manual page derive from the table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/agent/agent_command.hpp"
#include "terminal/exit_code.hpp"
#include "twin/peers.hpp"

namespace CLI {
class App;
}

namespace petrel::cli {

// A parsed command line.
struct Call {
    std::vector<std::string> words;  // as given, without the program's name
    std::vector<Complaint> problems;
    twin::Peers* peers{};         // other processes that run the same command
    const AgentExtras* extras{};  // for the commands that start or replace an agent
    const AgentParts* parts{};
};

// Runs a command, or returns all problems of the command line.
using Handler = std::function<Parsed<ExitCode>(Call)>;

// Declares the flags of a command to the option parser and returns the handler that uses their values.
using Flags = std::function<Handler(CLI::App&)>;

struct Command {
    std::string_view name;   // "status"; "lab run" is the command `run` of `lab`
    std::string_view group;  // the heading in the help
    std::string_view about;
    std::string_view examples;  // the end of the help; empty = as for the command above it, if there is one
    Flags flags;                // none: the command is a group of others
};

}  // namespace petrel::cli
