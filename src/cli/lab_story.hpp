// One run of a scenario, told as it happens: as fast as it can be computed, or paced by the wall clock.
#pragma once

#include "cli/exit_code.hpp"
#include "cli/lab_plan.hpp"

namespace petrel::cli {

// Says what happens and what came of it, and writes the files that the options ask for.
ExitCode tell_run(const PlannedRun&, const LabOptions&);

}  // namespace petrel::cli
