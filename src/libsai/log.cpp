#include "libsai/log.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <mutex>

namespace petrel::libsai {

namespace {

std::atomic<sai::LogLevel> lowest_level{sai::LogLevel::warn};

std::mutex mutex;  // guards error
std::string error;

}  // namespace

void set_log_level(sai::LogLevel level) { lowest_level = level; }

std::string last_error()
{
    const std::lock_guard lock{mutex};
    return error;
}

void forget_last_error()
{
    const std::lock_guard lock{mutex};
    error.clear();
}

void log(sai::LogLevel level, std::string_view text)
{
    if (level >= sai::LogLevel::error) {
        const std::lock_guard lock{mutex};
        error = text;
    }
    if (level >= lowest_level.load()) {
        const auto line = fmt::format("libsai-petrel: {}\n", text);
        std::fwrite(line.data(), 1, line.size(), stderr);
    }
}

}  // namespace petrel::libsai
