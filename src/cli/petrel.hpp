// The program `petrel` without main(): takes arguments, returns the exit code.
#pragma once

#include "cli/agent/agent_command.hpp"
#include "twin/peers.hpp"

namespace petrel::cli {

// `peers`: other processes that run the same command on one twin. `extras`: for `petrel agent`.
int run_petrel(int argc, const char* const* argv, twin::Peers* peers = nullptr, const AgentExtras* extras = nullptr);

}  // namespace petrel::cli
