// A replay as text for a terminal: with several policies first a side-by-side table, then the events of each.
#pragma once

#include <string>

#include "cli/replay_report.hpp"
#include "cli/terminal.hpp"

namespace petrel::cli {

std::string replay_text(const ReplayReport&, const Paint&);

}  // namespace petrel::cli
