// The tools of SONiC (sonic_tools/tools.hpp) as part of this program: by the name it is called by, or as its command.
#pragma once

#include <optional>

#include "cli/exit_code.hpp"

namespace petrel::cli {

// None: these arguments are not for one of them.
std::optional<ExitCode> run_sonic_tool(int argc, const char* const* argv);

}  // namespace petrel::cli
