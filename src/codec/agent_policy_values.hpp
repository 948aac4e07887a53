// The origin of each policy parameter: the preset, or a place in the file. For the .cpp files of codec only.
#pragma once

#include <string_view>
#include <vector>

#include "codec/toml_text.hpp"
#include "config/agent_config.hpp"

namespace petrel::codec {

// The origin of a value that was not given.
inline constexpr std::string_view kDefaultOrigin = "default";
// "agent.toml:4:10"
std::string origin(std::string_view file, Place);

// `top` is the table that the policies were read from without complaints; empty if there was no file.
std::vector<config::EffectiveValue> policy_values(const config::PolicyFile&, const toml::table& top);

}  // namespace petrel::codec
