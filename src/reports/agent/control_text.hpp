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

// Lines are at most `width` columns wide: tables leave out columns, and the others wrap between words.
std::string status_text(const control::StatusReport&, const Paint&, std::size_t width);

// The most serious first. The configured, the effective and the observed treatment stand side by side.
std::string queues_text(std::vector<control::QueueReport>, bool only_stormed, std::size_t width);
std::string explain_text(const control::ExplainReport&, const Paint&, std::size_t width);
std::string order_text(const control::OrderReport&);

// One event from a line of docs/events.md. A line that is not an event is printed unchanged.
std::string event_text(std::string_view line, std::size_t width);

struct Screen {
    std::size_t lines{};
    std::size_t width{};
};

// The live table of `petrel watch`: the state of the agent and its most serious queues.
std::string watch_text(const control::StatusReport&, std::vector<control::QueueReport>, const Screen&, const Paint&);

}  // namespace petrel::reports
