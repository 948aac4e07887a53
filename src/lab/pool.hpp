// Executes planned runs on all cores. They start in their order, and their results are reported in that order, too.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/outcome.hpp"
#include "lab/plan.hpp"
#include "lab/recording.hpp"

namespace petrel::lab {

struct PoolOptions {
    unsigned jobs{};  // concurrent runs; 0 = one per core
    unsigned threads{1};
    bool record{};
};

struct RunDone {
    std::optional<Outcome> outcome;        // none: the run could not be started
    std::optional<RecordedRun> recording;  // if requested
    std::string problems;
    std::chrono::steady_clock::duration wall{};

    bool failed() const { return !outcome || outcome->failed(); }
};

// `report` is called for one run at a time, from any thread.
void run_all(const std::vector<PlannedRun>&, const PoolOptions&,
             const std::function<void(const PlannedRun&, RunDone)>& report);

}  // namespace petrel::lab
