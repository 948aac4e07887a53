// Executes planned runs on all cores. They start in their order, and their results are reported in that order, too.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/lab_plan.hpp"
#include "lab/outcome.hpp"
#include "lab/recording.hpp"

namespace petrel::cli {

struct RunDone {
    std::optional<lab::Outcome> outcome;        // none: the run could not be started
    std::optional<lab::RecordedRun> recording;  // if a report is requested
    std::string problems;
    std::chrono::steady_clock::duration wall{};

    bool failed() const { return !outcome || outcome->failed(); }
};

// `told` is called for one run at a time, from any thread.
void run_all(const std::vector<PlannedRun>&, const LabOptions&,
             const std::function<void(const PlannedRun&, RunDone)>& told);

}  // namespace petrel::cli
