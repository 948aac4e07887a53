// Reads a policy file (TOML). The format: docs/policy-file.md. The allowed ranges are in watchdog/, not here.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "config/policy_file.hpp"

namespace petrel::codec {

Parsed<config::PolicyFile> read_policy_file(std::string_view text, std::string_view file);

}  // namespace petrel::codec
