// The settings a library is started with: the vendor's own keys, which the library looks up, and a few of ours
// ("petrel." ...).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::device::sai {

using Profile = std::map<std::string, std::string, std::less<>>;

// Lines KEY=VALUE; empty lines and lines that begin with # are ignored. Duplicate keys and unknown keys that begin with
// "petrel." are errors.
Parsed<Profile> parse_profile(std::string_view text, std::string_view file);

}  // namespace petrel::device::sai
