// Single words of a command line: whether they are what the grammar allows, and how they are shown to whoever wrote
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

// In quotes, and nothing in it can disturb a terminal.
std::string quoted(std::string_view);
std::string quoted_list(const std::vector<std::string_view>&, std::string_view between);

// A whole number as the tools take it: "400", "-8", "+400". None: the word is none, or too large.
std::optional<std::int64_t> whole_number(std::string_view);

// Empty: the word is allowed.
std::string problem_with(std::string_view word, const Kind&);

}  // namespace petrel::sonic_tools
