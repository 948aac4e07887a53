// Single words of a command line: checks them against the grammar and quotes them for messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

// In quotes, with control characters escaped.
std::string quoted(std::string_view);
std::string quoted_list(const std::vector<std::string_view>&, std::string_view between);

// A whole number as the tools accept it: "400", "-8", "+400". None: the word is no number, or too large.
std::optional<std::int64_t> whole_number(std::string_view);

// Empty: the word is allowed.
std::string problem_with(std::string_view word, const Kind&);

}  // namespace petrel::sonic_tools
