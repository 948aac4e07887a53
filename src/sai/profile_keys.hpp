// Keys of a library's profile that are Petrel's own: some the agent reads, some libsai-petrel. Both know all of them,
// so that one that is mistyped is told by whoever meets it first.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace petrel::sai {

inline constexpr std::array<std::string_view, 5> kOwnKeys{"petrel.attach", "petrel.device", "petrel.port_names",
                                                          "petrel.scenario", "petrel.time"};

inline bool mistyped_key(std::string_view key)
{
    return key.starts_with("petrel.") && std::find(kOwnKeys.begin(), kOwnKeys.end(), key) == kOwnKeys.end();
}

}  // namespace petrel::sai
