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

// For monitoring: one line, and one for each problem. False: there is a problem.
struct Checked {
    std::string text;
    bool good{};
};
Checked check_text(const control::StatusReport&);

// The most serious first. The configured, the effective and the observed treatment stand side by side.
std::string queues_text(std::vector<control::QueueReport>, bool only_stormed, std::size_t width);
std::string explain_text(const control::ExplainReport&, const Paint&, std::size_t width);
std::string order_text(const control::OrderReport&);

// One event from a line of docs/events.md. A line that is not an event is printed unchanged.
std::string event_text(std::string_view line, std::size_t width);

inline constexpr auto kNoStorm = "no queue is in a storm or mitigated\n";

// The most serious first; queues of equal rank keep the agent's order.
void sort_worst_first(std::vector<control::QueueReport>&);

// A table of queues, in this order: three lines of headings, then a line for each queue.
std::string queue_lines(std::span<const control::QueueReport>, std::size_t width);

// The headline of the agent and its problems.
std::string watch_head(const control::StatusReport&, std::size_t width, const Paint&);

struct Screen {
    std::size_t lines{};
    std::size_t width{};
};

// `petrel watch` without a terminal: the state of the agent and its most serious queues.
std::string watch_text(const control::StatusReport&, std::vector<control::QueueReport>, const Screen&, const Paint&);

}  // namespace petrel::reports
