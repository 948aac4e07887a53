#include "cli/lab_batch.hpp"

#include <fmt/format.h>

#include "cli/lab_command.hpp"
#include "lab/pool.hpp"
#include "reports/lab_judgement.hpp"
#include "reports/lab_report.hpp"
#include "terminal/progress.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

std::string text_of(const lab::PlannedRun& planned, const lab::RunDone& done, const Paint& paint)
{
    const auto seconds = std::chrono::duration<double>(done.wall).count();
    if (!done.failed()) {
        const auto count = done.outcome->judgements.size();
        return fmt::format("{}  {}  ({} expected, {:.2f} s)\n", paint.green("ok    "), planned.label(), count, seconds);
    }
    return fmt::format("{}  {}  ({:.2f} s)\n{}  once more: {}\n", paint.red("FAILED"), planned.label(), seconds,
                       done.outcome ? reports::failures_text(done.outcome->judgements) : done.problems,
                       planned.command);
}

}  // namespace

ExitCode run_batch(const std::vector<lab::PlannedRun>& planned, const LabOptions& options)
{
    const Paint paint{stdout_wants_colour()};
    Progress progress;
    std::optional<Error> error;
    std::vector<reports::ReportedRun> reported;
    std::size_t done_runs = 0;
    std::size_t failed = 0;
    const auto print = [&](const std::string& text) {
        progress.clear();
        if (const auto written = write_stdout(text); !written && !error) {
            error = written.error();
        }
    };
    lab::run_all(planned, options.pool, [&](const lab::PlannedRun& run, lab::RunDone done) {
        failed += done.failed() ? 1U : 0U;
        if (options.json && !done.outcome) {
            print_stderr(fmt::format("petrel: {} cannot be run:\n{}", run.label(), done.problems));
        } else {
            print(options.json ? reports::summary_line(run.file, run.settings, *done.outcome, done.wall) + '\n'
                               : fitted(text_of(run, done, paint)));
        }
        if (options.report && done.outcome) {
            auto summary = reports::summary_line(run.file, run.settings, *done.outcome, done.wall);
            reported.push_back({run.file, run.settings, run.command,
                                std::make_shared<const scenario::Scenario>(run.scenario), std::move(*done.outcome),
                                std::move(*done.recording), std::move(summary)});
        }
        ++done_runs;
        progress.show(static_cast<double>(done_runs) / static_cast<double>(planned.size()),
                      fmt::format("{} of {} runs", done_runs, planned.size()));
    });
    if (!options.json) {
        print(fmt::format("{} runs, {} failed\n", planned.size(), failed));
    } else if (failed != 0) {
        print_stderr(fmt::format("petrel: {} of {} runs failed", failed, planned.size()));
    }
    if (options.report && !error) {
        if (auto written = reports::write_report(*options.report, reported); !written) {
            error = written.error();
        }
    }
    if (error) {
        return fail(*error);
    }
    return failed == 0 ? ExitCode::ok : ExitCode::expectation;
}

}  // namespace petrel::cli
