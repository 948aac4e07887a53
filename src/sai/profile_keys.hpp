// The keys of a library's profile that belong to Petrel. The agent reads some of them, libsai-petrel others. Both check
// against the whole list, so that the first reader reports a mistyped key.
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
