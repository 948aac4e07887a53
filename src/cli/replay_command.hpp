// `petrel replay`: runs a recorded trace through the watchdog, under one policy or several.
#pragma once

#include "cli/replay_inputs.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

ExitCode run_replay(const ReplayOptions&);

}  // namespace petrel::cli
