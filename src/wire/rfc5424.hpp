// Lines of a system log as RFC 5424 has them: taken apart and put together again. What the messages mean is not known
// here; the ones about pauses are in pause_log.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::wire {

inline constexpr std::uint8_t kKernel = 0;  // facilities
inline constexpr std::uint8_t kUser = 1;
inline constexpr std::uint8_t kDaemon = 3;
inline constexpr std::uint8_t kSeverityError = 3;
inline constexpr std::uint8_t kSeverityInfo = 6;

// A field that the line leaves out ("-") is empty.
struct LogLine {
    std::uint8_t facility{};  // 0..23
    std::uint8_t severity{};  // 0..7
    std::optional<WallTime> at;
    std::string host;
    std::string application;
    std::string process;
    std::string message_id;
    std::string structured_data;  // "[...]", as it stands there
    std::string message;          // without the one blank before it, but with all that follow
    bool operator==(const LogLine&) const = default;
};

// "2019-02-14T12:57:32.929731+00:00": UTC, to the microsecond.
std::string utc_text(WallTime);

// "<11>1 2019-02-14T12:57:32.929731+00:00 x0c0r4b0 fabric_routing 3960 - - ..." Times are written as by
// utc_text(). What is longer than the RFC allows, or is not printable, must not be in a LogLine.
std::string build(const LogLine&);

// Without the end of the line. Times of any offset are read, and their fractions to the microsecond.
Result<LogLine> parse_log_line(std::string_view);

}  // namespace petrel::wire
