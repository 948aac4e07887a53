// Finds the process that holds a lock of file_lock.hpp, to name it in messages.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace petrel::runtime {

// The pid that holds <path>.lock, from /proc/locks. None: the lock is free, or its holder is not visible here (another
// pid namespace).
std::optional<pid_t> lock_holder(const std::filesystem::path&);

}  // namespace petrel::runtime
