#include "libsai/log.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>

namespace petrel::libsai {

namespace {

std::atomic<sai::LogLevel> least_told{sai::LogLevel::warn};

}  // namespace

void set_log_level(sai::LogLevel level) { least_told = level; }

void log(sai::LogLevel level, std::string_view text)
{
    if (level >= least_told.load()) {
        const auto line = fmt::format("libsai-petrel: {}\n", text);
        std::fwrite(line.data(), 1, line.size(), stderr);
    }
}

}  // namespace petrel::libsai
