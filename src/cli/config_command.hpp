// `petrel config check`: every problem of the agent's file at once. `petrel config show`: what the file says or, with
// all that stands above and below it, what the agent would go by, and who said so.
#pragma once

#include <string>
#include <vector>

#include "cli/agent_command.hpp"
#include "cli/exit_code.hpp"

namespace petrel::cli {

struct ConfigCheckOptions {
    std::vector<std::string> files;
};

struct ConfigShowOptions {
    AgentOptions agent;
    bool effective{};
    bool json{};
};

ExitCode run_config_check(const ConfigCheckOptions&);
ExitCode run_config_show(const ConfigShowOptions&);

}  // namespace petrel::cli
