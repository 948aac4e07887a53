// Whole files: read at once, and replaced so that a reader or a crash finds the old content or the new one, never a
// mixture.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::runtime {

inline constexpr unsigned kOwnersFile = 0644;      // what only we write,
inline constexpr unsigned kEverybodysFile = 0666;  // and what the umask decides

// Durable when it returns. A file that was there keeps its mode; a new one has this, less the umask.
Result<void> write_atomically(const std::filesystem::path&, std::string_view, unsigned mode = kOwnersFile);

// Of anything that can be read, a pipe too: for commands. The agent does not wait for a pipe (read_regular_file).
Result<std::string> read_whole_file(const std::filesystem::path&);

}  // namespace petrel::runtime
