// The command lines of `petrel agent` and `petrel hand-back`. Includes the option parser.
#pragma once

#include "cli/agent_command.hpp"
#include "cli/agent_flags.hpp"

namespace petrel::cli {

class AgentArguments {
public:
    explicit AgentArguments(CLI::App& petrel);

    AgentOptions request() const { return flags_.options(); }

    CLI::App* app{};

private:
    AgentFlags flags_;
};

class HandBackArguments {
public:
    explicit HandBackArguments(CLI::App& petrel);

    HandBackOptions request() const { return {flags_.options()}; }

    CLI::App* app{};

private:
    AgentFlags flags_;
};

}  // namespace petrel::cli
