// One line of the log, as data. The runner makes it; its host writes it to the log.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace petrel::runner {

enum class LogLevel : std::uint8_t { info, notice, warning, error };

struct LogLine {
    LogLevel level{};
    std::string event{};  // for programs: "storm_detected", "device_opened"
    std::string device{};
    std::string queue{};
    std::string message{};  // for people
    std::vector<std::pair<std::string, std::string>> fields{};
};

}  // namespace petrel::runner
