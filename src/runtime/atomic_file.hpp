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

// Durable when it returns.
Result<void> write_atomically(const std::filesystem::path&, std::span<const std::byte>);
Result<void> write_atomically(const std::filesystem::path&, std::string_view);

Result<std::string> read_whole_file(const std::filesystem::path&);

// The first half of write_atomically, for who goes on writing to the file: the content is durable and has its name, but
// the name may not outlive a crash before sync_folder_of().
Result<FileDescriptor> replace_file(const std::filesystem::path&, std::span<const std::byte>);

}  // namespace petrel::runtime
