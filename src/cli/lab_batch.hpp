// Many runs on all cores: prints a line for each, then the failures with the commands that repeat them, then the
// totals.
#pragma once

#include <vector>

#include "lab/plan.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct LabOptions;

ExitCode run_batch(const std::vector<lab::PlannedRun>&, const LabOptions&);

}  // namespace petrel::cli
