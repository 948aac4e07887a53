// The table of all commands.
#pragma once

#include <vector>

#include "cli/command.hpp"

namespace petrel::cli {

// In the order of the help. A command comes after the one above it.
std::vector<Command> commands();

}  // namespace petrel::cli
