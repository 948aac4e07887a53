// `petrel link show`: the links of a running agent or, with --manager, both ends of the links of a fabric.
#pragma once

#include "cli/agent/control_command.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

ExitCode show_links(const ControlOptions&);

}  // namespace petrel::cli
