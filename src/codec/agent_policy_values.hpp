// Where each parameter of the policies came from: the preset, or a place in the file. For the .cpp files of codec only.
#pragma once

#include <string_view>
#include <vector>

#include "codec/agent_config.hpp"
#include "codec/toml_text.hpp"

namespace petrel::codec {

// Where a value came from that nobody gave.
inline constexpr std::string_view kDefaultOrigin = "default";
// "agent.toml:4:10"
std::string origin(std::string_view file, Place);

// `top` is what the policies were read from, without a complaint; empty if there was no file.
std::vector<EffectiveValue> policy_values(const PolicyFile&, const toml::table& top);

}  // namespace petrel::codec
