// `petrel config check`: all problems of the agent's file at once. `petrel config show`: the values in the file or,
// with --effective, the values that the agent would use, each with its origin.
#pragma once

#include <string>
#include <vector>

#include "cli/agent/agent_command.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct ConfigCheckOptions {
    std::vector<std::string> files;
    bool live{};
    const AgentParts* parts{};
};

struct ConfigShowOptions {
    AgentOptions agent;
    bool effective{};
    bool json{};
};

ExitCode run_config_check(const ConfigCheckOptions&);
ExitCode run_config_show(const ConfigShowOptions&);

}  // namespace petrel::cli
