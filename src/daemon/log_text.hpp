// Formats a line of the log in each format (docs/log.md), and makes the line of a storm's event.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "daemon/log.hpp"
#include "watchdog/event.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::daemon {

struct LogSource {
    std::string agent;
    std::int64_t pid{};
};

// The text has no line feed, neither inside nor at its end.
std::string log_text(config::LogFormat, const Log::Line&, WallTime, const LogSource&);

// The prefix with the severity of a line in text or JSON: "<4>" on a stderr that journald reads,
// "<28>petrel-agent[123]: " at a syslog socket.
std::string journal_prefix(Log::Level);
std::string syslog_prefix(Log::Level, const LogSource&);

Log::Line event_line(const watchdog::Event&, const watchdog::Watchlist&, std::string_view device);

// The message about a file or socket of the agent that another process removed or replaced.
std::string file_lost_text(const std::filesystem::path&);

}  // namespace petrel::daemon
