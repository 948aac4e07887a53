// The flags for the configuration of the agent: a file, devices, and one for each setting. `petrel agent` uses them,
// and `petrel config show`, which prints the resulting configuration. Includes the option parser.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/agent/agent_command.hpp"
#include "cli/agent/command.hpp"

namespace petrel::cli {

class AgentFlags {
public:
    explicit AgentFlags(CLI::App&);

    AgentOptions options(const Call&) const;

private:
    CLI::App& app_;
    std::string config_;
    std::vector<std::string> devices_;
    std::string profile_;
    std::vector<std::string> values_;  // one per setting, given or not; the parser holds pointers into it
};

}  // namespace petrel::cli
