// Counters that a user has seen and wants to see no more of: what pfcstat -c keeps for the next pfcstat. A text file in
// the user's own cache; one that nobody can read, or that says something else, is as good as none. So is one of a user
// without a cache, whose folder is empty.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace petrel::sonic_tools {

inline constexpr std::size_t kPriorities = 8;

// Of one port and kind of counter, by priority; "N/A" where the switch does not count.
using Counts = std::array<std::string, kPriorities>;

struct SavedCounters {
    std::string time;                      // when they were saved
    std::map<std::string, Counts> counts;  // by kind and port: "rx Ethernet0"
};

// Makes the folder and the one it is in (of all caches), but no home for somebody who has none.
Result<void> save(const std::filesystem::path& folder, const SavedCounters&);
std::optional<SavedCounters> load(const std::filesystem::path& folder);
void forget(const std::filesystem::path& folder);

}  // namespace petrel::sonic_tools
