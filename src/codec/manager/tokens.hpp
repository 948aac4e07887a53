// Reads the file of tokens:
//
//   [[token]]
//   name = "leaf3"
//   role = "agent"        # read, agent or operator
//   token = "at least 16 characters"
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/manager_token.hpp"

namespace petrel::codec {

Parsed<std::vector<config::Token>> read_tokens(std::string_view text, std::string_view file);

}  // namespace petrel::codec
