// `petrel watch`: shows the state of an agent, redrawn every second, until q or Ctrl-C. If stdout is not a terminal,
// prints the same text once a second.
#pragma once

#include "cli/agent/control_command.hpp"

namespace petrel::cli {

// --json prints the agent's JSON lines: its status, then the queues in another phase than watching.
ExitCode run_watch(const ControlOptions&);

}  // namespace petrel::cli
