// Many runs, on all cores: a line for each, what failed and how to see that again, then the count.
#pragma once

#include <vector>

#include "cli/lab_plan.hpp"

namespace petrel::cli {

ExitCode run_batch(const std::vector<PlannedRun>&, const LabOptions&);

}  // namespace petrel::cli
