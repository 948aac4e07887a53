// `petrel watch`: shows the state of an agent, redrawn every second, until q or Ctrl-C. If stdout is not a terminal,
// prints the same text once a second.
#pragma once

#include <string>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct WatchOptions {
    std::string socket;  // empty = the default
    bool json{};         // the agent's JSON lines: its status, then the queues in another phase than watching
};

ExitCode run_watch(const WatchOptions&);

}  // namespace petrel::cli
