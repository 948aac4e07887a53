// `petrel watch`: how an agent fares, drawn anew every second, until q or Ctrl-C. Where stdout is no terminal, the same
// text once a second.
#pragma once

#include <string>

#include "cli/exit_code.hpp"

namespace petrel::cli {

struct WatchOptions {
    std::string socket;  // empty = the usual one
    bool json{};         // the agent's own lines: its status, then the queues that are not just watched
};

ExitCode run_watch(const WatchOptions&);

}  // namespace petrel::cli
