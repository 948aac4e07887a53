// The flags that say how the agent is configured: a file, devices, and one for each setting. `petrel agent` has them,
// and `petrel config show`, which says what would come of them. It brings the option parser along.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/agent_command.hpp"

namespace petrel::cli {

class AgentFlags {
public:
    explicit AgentFlags(CLI::App&);

    AgentOptions options() const;

private:
    CLI::App& app_;
    std::string config_;
    std::vector<std::string> devices_;
    std::string profile_;
    std::vector<std::string> values_;  // one per setting, given or not: the parser points into it
};

}  // namespace petrel::cli
