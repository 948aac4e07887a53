// Whole files: read at once, and replaced so that a reader or a crash finds the old content or the new one, never a
// mixture.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

inline constexpr unsigned kOwnersFile = 0644;      // what only we write,
inline constexpr unsigned kEverybodysFile = 0666;  // and what the umask decides

// Durable when it returns. A file that was there keeps its mode; a new one has this, less the umask.
Result<void> write_atomically(const std::filesystem::path&, std::string_view, unsigned mode = kOwnersFile);

Result<std::string> read_whole_file(const std::filesystem::path&);

// The first half of write_atomically, for who goes on writing to the file: the content is durable and has its name, but
// the name may not outlive a crash before sync_folder_of().
Result<FileDescriptor> replace_file(const std::filesystem::path&, std::span<const std::byte>,
                                    unsigned mode = kOwnersFile);

}  // namespace petrel::runtime
