// Parses and builds log lines in the format of RFC 5424. It does not interpret messages; pause_log.hpp does that for
// messages about pause.
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

// A field that is missing in the line ("-") is empty.
struct LogLine {
    std::uint8_t facility{};  // 0..23
    std::uint8_t severity{};  // 0..7
    std::optional<WallTime> at;
    std::string host;
    std::string application;
    std::string process;
    std::string message_id;
    std::string structured_data;  // "[...]", unchanged
    std::string message;          // without the separating blank, but with any further leading blanks
    bool operator==(const LogLine&) const = default;
};

// "2019-02-14T12:57:32.929731+00:00": UTC, to the microsecond.
std::string utc_text(WallTime);

// A time as people and tools write it: like utc_text(), with any fraction, "Z" or no offset (UTC), a blank instead of
// the T, or a date alone.
std::optional<WallTime> time_from_text(std::string_view);

// "<11>1 2019-02-14T12:57:32.929731+00:00 x0c0r4b0 fabric_routing 3960 - - ..." Times are written as by utc_text(). The
// caller must not pass fields that are longer than the RFC allows or not printable.
std::string build(const LogLine&);

// The text must not include the line end. Times may have any offset, and fractions down to the microsecond.
Result<LogLine> parse_log_line(std::string_view);

}  // namespace petrel::wire
