// The agent's configuration as JSON, for `petrel config show --json`. Schema:
// {"file","values":[{"key","value","from"}]}; values are text as flags take them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/agent_config.hpp"

namespace petrel::codec {

std::string agent_config_json(std::string_view file, std::span<const config::EffectiveValue>);  // ends with a newline

}  // namespace petrel::codec
