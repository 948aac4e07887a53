// The settings a library is started with: the vendor's own keys, which it asks for, and a few of ours ("petrel." ...).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::device::sai {

using Profile = std::map<std::string, std::string, std::less<>>;

// Lines KEY=VALUE; empty ones and those that begin with # say nothing. A key is there once, and one
// that begins with "petrel." is one that is known.
Parsed<Profile> parse_profile(std::string_view text, std::string_view file);

}  // namespace petrel::device::sai
