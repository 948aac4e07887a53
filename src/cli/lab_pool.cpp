#include "cli/lab_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/complaint_text.hpp"
#include "codec/scenario/values.hpp"

namespace petrel::cli {
namespace {

using std::chrono::steady_clock;

RunDone run_one(const PlannedRun& planned, const LabOptions& options)
{
    const auto started = steady_clock::now();
    auto scenario = planned.scenario;
    scenario.setup.threads = options.threads;
    const auto end = codec::time_in_ps(options.until).value_or(scenario.duration);
    RunDone done;
    auto experiment = lab::Experiment::make(std::move(scenario));
    if (!experiment) {
        for (const auto& complaint : experiment.error()) {
            done.problems += fmt::format("  {}\n", to_text(complaint));
        }
        return done;
    }
    lab::Judge judge{**experiment};
    std::optional<lab::Recording> recording;
    if (options.report) {
        recording.emplace(**experiment, end);
    }
    (*experiment)->run_until(end);
    done.outcome = outcome_of(**experiment, judge);
    if (recording) {
        done.recording = recording->take();
    }
    done.wall = steady_clock::now() - started;
    return done;
}

}  // namespace

void run_all(const std::vector<PlannedRun>& planned, const LabOptions& options,
             const std::function<void(const PlannedRun&, RunDone)>& told)
{
    std::atomic<std::size_t> next{};
    std::mutex telling;
    std::size_t told_up_to = 0;
    std::vector<std::optional<RunDone>> waiting(planned.size());
    const auto work = [&] {
        for (auto i = next++; i < planned.size(); i = next++) {
            auto done = run_one(planned[i], options);
            const std::lock_guard lock{telling};
            waiting[i] = std::move(done);
            for (; told_up_to < waiting.size() && waiting[told_up_to]; ++told_up_to) {
                told(planned[told_up_to], std::move(*waiting[told_up_to]));
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

}  // namespace petrel::cli
