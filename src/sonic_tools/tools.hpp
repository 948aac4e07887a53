// The tools of SONiC that Petrel brings along: pfcwd and its relatives. Grammar, output and exit codes are SONiC's;
// where ours differ, docs/pfcwd.md says why.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sonic_tools/outcome.hpp"
#include "sonic_tools/surroundings.hpp"

namespace petrel::sonic_tools {

bool is_tool(std::string_view name);

// `program`: as its user called it ("pfcwd", "petrel pfcwd"). The tool has to be one.
Outcome run_tool(std::string_view tool, std::string_view program, std::span<const std::string> arguments,
                 const Surroundings&);

}  // namespace petrel::sonic_tools
