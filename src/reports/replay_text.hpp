// A replay as text for a terminal: with several policies first a side-by-side table, then the events of each.
#pragma once

#include <string>

#include "reports/replay_report.hpp"
#include "terminal/terminal.hpp"

namespace petrel::reports {

std::string replay_text(const ReplayReport&, const Paint&);

}  // namespace petrel::reports
