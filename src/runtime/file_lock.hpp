// One process at a time. The lock is a file of its own beside the one that is held, since that one may be replaced
// while it is in use; it goes with the process, however that ends.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

// Held through <path>.lock for as long as the result lives; unreachable if another one has it.
Result<FileDescriptor> hold_alone(const std::filesystem::path&);

}  // namespace petrel::runtime
