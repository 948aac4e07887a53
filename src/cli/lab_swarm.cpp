// `petrel lab swarm`: random scenarios, judged by oracles. The first violation is shrunk to a small scenario file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/lab_command.hpp"
#include "codec/scenario/reader.hpp"
#include "lab/plan.hpp"
#include "reports/scenario_text.hpp"
#include "swarm/campaign.hpp"
#include "swarm/crash_note.hpp"
#include "swarm/shrink.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

constexpr unsigned kMostShrinkTries = 1'000;

bool has_cause(const swarm::Judged& judged, const swarm::Violation& of)
{
    return std::ranges::any_of(judged.violations, [&](const swarm::Violation& one) { return same_cause(one, of); });
}

std::string violations_text(const swarm::Judged& judged, const std::string& label, const Paint& paint)
{
    std::string text;
    for (const auto& violation : judged.violations) {
        text += fmt::format("{}  {}: {}\n  at {}, {}: {}\n", paint.red("VIOLATED"), label, violation.oracle,
                            reports::time_text(violation.at), violation.where, violation.what);
    }
    return text;
}

// Writes a small scenario that violates the same law in the same way. Returns the text that shows how to run it.
Result<std::string> shrunk(const swarm::CampaignRun& failed, const std::string& output)
{
    const auto& cause = failed.judged.violations.front();
    const swarm::CrashNote note{swarm::command_of(failed.seed)};
    // Without the limit of its rate, a flow would make a run much longer.
    const auto most_hops = 2 * failed.judged.packet_hops;
    const auto small = swarm::shrink(
        failed.draft, [&](const swarm::Draft& draft) { return has_cause(swarm::run(draft, most_hops), cause); },
        kMostShrinkTries);
    const auto file = output.empty() ? fmt::format("swarm-{}.toml", failed.seed) : output;
    if (auto written = write_output_file(file, swarm::text_of(small)); !written) {
        return tl::unexpected(written.error());
    }
    return fmt::format("  the whole scenario: {}\n  shrunk: petrel lab swarm {}\n", swarm::command_of(failed.seed),
                       file);
}

class Tally {
public:
    void add(const swarm::CampaignRun& run)
    {
        ++runs_;
        coverage_.add(run.judged.coverage);
    }

    std::string text() const
    {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started_;
        return fmt::format("{} runs, {:.0f} a second, {} of {} pairs of state and fault", runs_,
                           static_cast<double>(runs_) / std::max(took.count(), 1e-3), coverage_.covered(),
                           swarm::Coverage::possible());
    }
    double share(const swarm::CampaignOptions& of) const
    {
        const auto share = static_cast<double>(runs_) / static_cast<double>(of.runs);
        const auto took = std::chrono::steady_clock::now() - started_;
        return of.minutes ? std::max(share, std::chrono::duration<double>(took) / *of.minutes) : share;
    }

private:
    std::chrono::steady_clock::time_point started_{std::chrono::steady_clock::now()};
    std::uint64_t runs_{};
    swarm::Coverage coverage_;
};

// Judges scenario files instead of drawn scenarios.
ExitCode judge_files(const std::vector<std::string>& files)
{
    const Paint paint{stdout_wants_colour()};
    std::string text;
    bool failed = false;
    for (const auto& file : files) {
        const auto content = lab::read_scenario_file(file);
        if (!content) {
            return fail(content.error());
        }
        const auto scenario = codec::read_whole_scenario(*content, file, {}, lab::read_scenario_file);
        if (!scenario) {
            return refuse(scenario.error());
        }
        const swarm::CrashNote note{"petrel lab swarm " + file};
        const auto judged = swarm::run(*scenario);
        if (!judged) {
            return refuse(judged.error());
        }
        failed = failed || !judged->violations.empty();
        text += judged->violations.empty() ? fmt::format("{}  {}\n", paint.green("ok"), file)
                                           : violations_text(*judged, file, paint);
    }
    return finish(text, failed ? ExitCode::expectation : ExitCode::ok);
}

}  // namespace

ExitCode run_lab_swarm(const LabSwarmOptions& options)
{
    if (!options.problems.empty()) {
        return refuse(options.problems);
    }
    if (!options.files.empty()) {
        return judge_files(options.files);
    }
    Tally tally;
    std::optional<swarm::CampaignRun> failed;
    {
        Progress progress;
        swarm::run_campaign(options.campaign, [&](swarm::CampaignRun run) {
            tally.add(run);
            if (!run.judged.violations.empty()) {
                failed = std::move(run);
            }
            progress.show(tally.share(options.campaign), tally.text());
            return !failed;
        });
    }
    auto text = tally.text() + (failed ? "" : ", no violation") + '\n';
    if (failed) {
        const Paint paint{stdout_wants_colour()};
        text += violations_text(failed->judged, fmt::format("seed {}", failed->seed), paint);
        if (const auto written = write_stdout(text); !written) {
            return fail(written.error());
        }
        const auto small = shrunk(*failed, options.output);
        if (!small) {
            return fail(small.error());
        }
        text = *small;
    }
    return finish(text, failed ? ExitCode::expectation : ExitCode::ok);
}

}  // namespace petrel::cli
