// What a run came to, as one JSON line: the last of `petrel lab run --json`. The schema is stable and documented
// (docs/scenario-file.md): keys are added, never renamed.
#pragma once

#include <chrono>
#include <string>

#include "scenario/summary.hpp"

namespace petrel::codec {

// Without the end of the line.
std::string summary_json(const scenario::Summary&, std::chrono::milliseconds wall);

}  // namespace petrel::codec
