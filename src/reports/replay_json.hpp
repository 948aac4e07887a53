// A replay as JSON lines: every event of every policy, one object a line; the keys are documented in docs/replay.md.
#pragma once

#include <string>

#include "reports/replay_report.hpp"

namespace petrel::reports {

std::string replay_json(const ReplayReport&);

}  // namespace petrel::reports
