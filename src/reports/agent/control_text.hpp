// The agent's answers as text for the operator: problems come first, with what to do about them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/report.hpp"
#include "terminal/terminal.hpp"

namespace petrel::reports {

std::string status_text(const control::StatusReport&, const Paint&);

// The most serious first. The configured, the effective and the observed treatment stand side by side.
std::string queues_text(std::vector<control::QueueReport>, bool only_stormed);
std::string explain_text(const control::ExplainReport&, const Paint&);
std::string order_text(const control::OrderReport&);

// One event from a line of docs/events.md. A line that is not an event is printed unchanged.
std::string event_text(std::string_view line);

// The live table of `petrel watch`: the state of the agent and its most serious queues, in at most `lines` lines.
std::string watch_text(const control::StatusReport&, std::vector<control::QueueReport>, std::size_t lines,
                       const Paint&);

}  // namespace petrel::reports
