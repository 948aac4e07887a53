// Runs one scenario and prints what happens: as fast as possible, or paced by the wall clock.
#pragma once

#include "lab/plan.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct LabOptions;

// Prints the events and the result, and writes the files that the options request.
ExitCode run_single(const lab::PlannedRun&, const LabOptions&);

}  // namespace petrel::cli
