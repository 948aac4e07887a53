// One queue over time as a drawing: the pause signal of the trace on top, below it a lane for each policy with phases
// as bands and events as numbered marks. Colours come from the page's style; shapes and labels carry the same
// information.
#pragma once

#include <string>
#include <vector>

#include "reports/pause_signal.hpp"
#include "reports/replay_report.hpp"

namespace petrel::reports {

std::string timeline_svg(const ReplayReport&, QueueRef, const std::vector<PauseInterval>& signal, const Period&);

}  // namespace petrel::reports
