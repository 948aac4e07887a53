// The table of all commands of petrel.
#pragma once

#include "cli/agent/command_line.hpp"

namespace petrel::cli {

const Program& petrel_program();

}  // namespace petrel::cli
