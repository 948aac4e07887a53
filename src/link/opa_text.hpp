// The texts that Omni-Path's tools print for the codes of reasons.hpp. They are shorter than ours, and two codes may
// have the same text: 40 and 57 are both "Speed Policy".
#pragma once

#include <cstdint>
#include <string_view>

namespace petrel::link {

std::string_view opa_tool_text(std::uint8_t code);  // "Neigh Unknown"; " ???? " for a reserved code

}  // namespace petrel::link
