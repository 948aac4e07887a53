// A replay as JSON lines: every event of every policy, one object a line; the keys are documented in docs/replay.md.
#pragma once

#include <string>

#include "cli/replay_report.hpp"

namespace petrel::cli {

std::string replay_json(const ReplayReport&);

}  // namespace petrel::cli
