// A replay as text for a terminal: with several policies first a table that compares them, then the events of each.
#pragma once

#include <string>

#include "reports/replay_report.hpp"
#include "terminal/terminal.hpp"

namespace petrel::reports {

// The table leaves out columns where it is wider than `width`.
std::string replay_text(const ReplayReport&, const Paint&, std::size_t width);

}  // namespace petrel::reports
