// The counters that `pfcstat -c` saves, so that the next pfcstat shows only the increase. They are a text file in the
// user's own cache. A file that cannot be read or parsed counts as none. For a user without a cache, `folder` is an
// empty path, and there are no saved counters.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace petrel::sonic_tools {

inline constexpr std::size_t kPriorities = 8;

// The counts of one port and one kind of counter, by priority; "N/A" if the switch does not count.
using Counts = std::array<std::string, kPriorities>;

struct SavedCounters {
    std::string time;                      // when they were saved
    std::map<std::string, Counts> counts;  // by kind and port: "rx Ethernet0"
};

// Makes the folder and its parent, the folder of all caches, but not the user's home folder.
Result<void> save(const std::filesystem::path& folder, const SavedCounters&);
std::optional<SavedCounters> load(const std::filesystem::path& folder);
void forget(const std::filesystem::path& folder);

}  // namespace petrel::sonic_tools
