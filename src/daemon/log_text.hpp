// How a line of the log reads in each format (docs/log.md), and what a storm's transition says in it.
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

// Without the end of the line, and never with one inside.
std::string log_text(codec::LogFormat, const Log::Line&, WallTime, const LogSource&);

// What goes before a line of text or JSON where the reader wants to know how bad it is: "<4>" in the journal's stderr,
// "<28>petrel-agent[123]: " at a syslog socket.
std::string journal_prefix(Log::Level);
std::string syslog_prefix(Log::Level, const LogSource&);

Log::Line event_line(const watchdog::Event&, const watchdog::Watchlist&, std::string_view device);

// A file or socket of the agent that another process removed or replaced.
std::string file_lost_text(const std::filesystem::path&);

}  // namespace petrel::daemon
