// SONiC's tools (sonic_tools/tools.hpp) as part of this program: called by the name of the tool, or as a command of
// petrel.
#pragma once

#include <optional>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

// None: the arguments are not for one of these tools.
std::optional<ExitCode> run_sonic_tool(int argc, const char* const* argv);

}  // namespace petrel::cli
