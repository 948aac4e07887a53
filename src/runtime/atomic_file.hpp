// Reads and replaces whole files. After a crash, and for every reader, a file has either the old or the new content,
// never a mixture.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::runtime {

inline constexpr unsigned kOwnersFile = 0644;      // only the owner may write
inline constexpr unsigned kEverybodysFile = 0666;  // the umask decides who may write

// The content is durable when the call returns. An existing file keeps its mode; a new one gets `mode` less the umask.
Result<void> write_atomically(const std::filesystem::path&, std::string_view, unsigned mode = kOwnersFile);

// Reads anything, also a pipe, and may wait for it. For commands; the agent uses read_regular_file(), which never
// waits.
Result<std::string> read_whole_file(const std::filesystem::path&);

}  // namespace petrel::runtime
