// Planned runs on all cores. They are started in their order and told in their order, however long each takes.
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
    std::optional<lab::Outcome> outcome;        // none: it could not be run
    std::optional<lab::RecordedRun> recording;  // where a report is wanted
    std::string problems;
    std::chrono::steady_clock::duration wall{};

    bool failed() const { return !outcome || outcome->failed(); }
};

// `told` is called for one run at a time, from any thread.
void run_all(const std::vector<PlannedRun>&, const LabOptions&,
             const std::function<void(const PlannedRun&, RunDone)>& told);

}  // namespace petrel::cli
