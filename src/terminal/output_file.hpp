// The output of -o/--output: a regular file is replaced completely or not at all; a device or a pipe is written to.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace petrel {

Result<void> write_output_file(const std::filesystem::path&, std::string_view text);

}  // namespace petrel
