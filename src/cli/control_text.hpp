// What the agent answered, for people: what is bad stands first and says what to do next.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.hpp"
#include "codec/control_report.hpp"

namespace petrel::cli {

std::string status_text(const codec::StatusReport&, const Paint&);

// The worst first. What is configured, what the device makes of it and what is observed stand side by side.
std::string queues_text(std::vector<codec::QueueReport>, bool only_stormed);
std::string explain_text(const codec::ExplainReport&, const Paint&);
std::string order_text(const codec::OrderReport&);

// One event, of a line of docs/events.md; a line that is none is shown as it is.
std::string event_text(std::string_view line);

// The live table: how the agent fares and its worst queues, in so many lines.
std::string watch_text(const codec::StatusReport&, std::vector<codec::QueueReport>, std::size_t lines, const Paint&);

}  // namespace petrel::cli
