// Where -o/--output goes: a regular file is replaced whole or not at all; a device or a pipe is simply written to.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace petrel::cli {

Result<void> write_output_file(const std::filesystem::path&, std::string_view text);

}  // namespace petrel::cli
