#include "lab/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/complaint_text.hpp"

namespace petrel::lab {
namespace {

using std::chrono::steady_clock;

RunDone run_one(const PlannedRun& planned, const PoolOptions& options)
{
    const auto started = steady_clock::now();
    auto scenario = planned.scenario;
    scenario.setup.threads = options.threads;
    RunDone done;
    auto experiment = Experiment::make(std::move(scenario));
    if (!experiment) {
        for (const auto& complaint : experiment.error()) {
            done.problems += fmt::format("  {}\n", to_text(complaint));
        }
        return done;
    }
    Judge judge{**experiment};
    std::optional<Recording> recording;
    if (options.record) {
        recording.emplace(**experiment, planned.end);
    }
    (*experiment)->run_until(planned.end);
    done.outcome = outcome_of(**experiment, judge);
    if (recording) {
        done.recording = recording->take();
    }
    done.wall = steady_clock::now() - started;
    return done;
}

}  // namespace

void run_all(const std::vector<PlannedRun>& planned, const PoolOptions& options,
             const std::function<void(const PlannedRun&, RunDone)>& report)
{
    std::atomic<std::size_t> next{};
    std::mutex reporting;
    std::size_t reported = 0;
    std::vector<std::optional<RunDone>> waiting(planned.size());
    const auto work = [&] {
        for (auto i = next++; i < planned.size(); i = next++) {
            auto done = run_one(planned[i], options);
            const std::lock_guard lock{reporting};
            waiting[i] = std::move(done);
            for (; reported < waiting.size() && waiting[reported]; ++reported) {
                report(planned[reported], std::move(*waiting[reported]));
            }
        }
    };
    const auto cores = std::max(1U, std::thread::hardware_concurrency() / options.threads);
    const auto jobs = std::min<std::size_t>(options.jobs != 0 ? options.jobs : cores, planned.size());
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < jobs; ++i) {
        workers.emplace_back(work);
    }
}

}  // namespace petrel::lab
