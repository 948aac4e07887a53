#include "cli/lab_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "base/complaint_text.hpp"
#include "cli/lab_judgement.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "codec/scenario_json.hpp"
#include "codec/scenario_values.hpp"

namespace petrel::cli {
namespace {

using std::chrono::steady_clock;

struct Done {
    std::optional<lab::Outcome> outcome;  // none: it could not be run
    std::string problems;
    steady_clock::duration wall{};

    bool failed() const { return !outcome || outcome->failed(); }
};

Done run_one(const PlannedRun& planned, const LabOptions& options)
{
    const auto started = steady_clock::now();
    auto scenario = planned.scenario;
    scenario.setup.threads = options.threads;
    const auto end = codec::time_in_ps(options.until).value_or(scenario.duration);
    Done done;
    auto experiment = lab::Experiment::make(std::move(scenario));
    if (!experiment) {
        for (const auto& complaint : experiment.error()) {
            done.problems += fmt::format("  {}\n", to_text(complaint));
        }
        return done;
    }
    lab::Judge judge{**experiment};
    (*experiment)->run_until(end);
    done.outcome = outcome_of(**experiment, judge);
    done.wall = steady_clock::now() - started;
    return done;
}

std::string text_of(const PlannedRun& planned, const Done& done, const Paint& paint)
{
    const auto seconds = std::chrono::duration<double>(done.wall).count();
    if (!done.failed()) {
        const auto count = done.outcome->judgements.size();
        return fmt::format("{}  {}  ({} expected, {:.2f} s)\n", paint.green("ok    "), planned.label(), count, seconds);
    }
    return fmt::format("{}  {}  ({:.2f} s)\n{}  once more: {}\n", paint.red("FAILED"), planned.label(), seconds,
                       done.outcome ? failures_text(done.outcome->judgements) : done.problems, planned.command);
}

std::string json_of(const PlannedRun& planned, const Done& done)
{
    if (!done.outcome) {
        return {};
    }
    return codec::summary_json(done.outcome->summary, {planned.file, planned.settings,
                                                       std::chrono::floor<std::chrono::milliseconds>(done.wall),
                                                       judged(done.outcome->judgements)}) +
           '\n';
}

// Runs are started in their order and told in their order, however long each takes.
class Batch {
public:
    Batch(const std::vector<PlannedRun>& planned, const LabOptions& options)
        : planned_(planned), options_(options), done_(planned.size()), paint_(stdout_wants_colour())
    {}

    ExitCode run()
    {
        const auto cores = std::max(1U, std::thread::hardware_concurrency() / options_.threads);
        const auto jobs = std::min<std::size_t>(options_.jobs != 0 ? options_.jobs : cores, planned_.size());
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < jobs; ++i) {
            workers.emplace_back([this] { work(); });
        }
        workers.clear();
        const auto failed = std::count_if(done_.begin(), done_.end(), [](const auto& done) { return done->failed(); });
        if (!options_.json) {
            tell(fmt::format("{} runs, {} failed\n", planned_.size(), failed));
        } else if (failed != 0) {
            say(fmt::format("petrel: {} of {} runs failed", failed, planned_.size()));
        }
        if (error_) {
            return fail(*error_);
        }
        return failed == 0 ? ExitCode::ok : ExitCode::expectation;
    }

private:
    void work()
    {
        for (auto i = next_++; i < planned_.size(); i = next_++) {
            auto done = run_one(planned_[i], options_);
            const std::lock_guard lock{told_lock_};
            done_[i] = std::move(done);
            for (; told_ < done_.size() && done_[told_]; ++told_) {
                const auto& planned = planned_[told_];
                const auto& one = *done_[told_];
                if (options_.json && !one.outcome) {
                    say(one.problems);
                }
                tell(options_.json ? json_of(planned, one) : text_of(planned, one, paint_));
            }
            progress_.show(static_cast<double>(told_) / static_cast<double>(done_.size()),
                           fmt::format("{} of {} runs", told_, done_.size()));
        }
    }

    void tell(const std::string& text)
    {
        progress_.clear();
        if (const auto written = write_stdout(text); !written && !error_) {
            error_ = written.error();
        }
    }

    const std::vector<PlannedRun>& planned_;
    const LabOptions& options_;
    std::vector<std::optional<Done>> done_;
    Paint paint_;
    Progress progress_;
    std::atomic<std::size_t> next_{};
    std::mutex told_lock_;
    std::size_t told_{};
    std::optional<Error> error_;
};

}  // namespace

ExitCode run_batch(const std::vector<PlannedRun>& planned, const LabOptions& options)
{
    return Batch{planned, options}.run();
}

}  // namespace petrel::cli
