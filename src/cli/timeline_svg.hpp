// One queue over time as a drawing: the pause signal of the trace on top, below it a lane for each policy with phases
// as bands and events as numbered marks. Colours come from the page's style; shapes and labels carry the same
// information.
#pragma once

#include <string>
#include <vector>

#include "cli/pause_signal.hpp"
#include "cli/replay_report.hpp"

namespace petrel::cli {

std::string timeline_svg(const ReplayReport&, QueueRef, const std::vector<PauseInterval>& signal, const Period&);

}  // namespace petrel::cli
