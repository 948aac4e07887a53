// The tools of SONiC that Petrel provides: pfcwd, mmuconfig, pfc, pfcstat. Grammar, output and exit codes are SONiC's;
// docs/pfcwd.md explains the differences.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sonic_tools/outcome.hpp"
#include "sonic_tools/surroundings.hpp"

namespace petrel::sonic_tools {

bool is_tool(std::string_view name);

// `program`: the name by which the user called it ("pfcwd", "petrel pfcwd"). `tool` must be one (is_tool()).
Outcome run_tool(std::string_view tool, std::string_view program, std::span<const std::string> arguments,
                 const Surroundings&);

}  // namespace petrel::sonic_tools
