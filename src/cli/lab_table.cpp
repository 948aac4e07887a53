// `petrel lab table`: the results of policies against storm patterns, as a Markdown table. Scenarios with a parameter
// `policy` are run with every policy and all values of their [sweep].
#include <fmt/format.h>

#include <map>

#include "cli/lab_command.hpp"
#include "lab/plan.hpp"
#include "lab/pool.hpp"
#include "lab/score.hpp"
#include "reports/scenario_text.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"
#include "terminal/terminal.hpp"
#include "watchdog/policy.hpp"

namespace petrel::cli {
namespace {

constexpr auto kParameter = "policy";

constexpr auto kHeading = R"(# What the presets make of each pattern

Made by `petrel lab table`; do not edit. Each pattern is a file in `scenarios/`; its `[[truth]]` is where and when there
really is a storm. A cell has the storms that were caught, of all runs of the file; the longest time from a storm's begin to
its detection; and, in bold, how often a queue without a storm was treated. `quiet`: there is no storm, and nothing was
done. `cannot`: the policy does not fit the pattern's devices.

)";

struct Cell {
    lab::Score score;
    bool cannot{};
};

std::string text_of(const Cell& cell)
{
    if (cell.cannot) {
        return "cannot";
    }
    const auto& score = cell.score;
    std::string text = score.storms == 0 ? "quiet" : fmt::format("{}/{}", score.caught, score.storms);
    if (score.caught != 0) {
        text += fmt::format(" {}", reports::time_text(score.latency));
    }
    if (score.false_actions == 0) {
        return text;
    }
    return fmt::format("{}**{} false**", score.storms == 0 ? "" : text + ' ', score.false_actions);
}

// The presets for switches: all but the one for a NIC's micro-controller.
std::vector<std::string> usual_policies()
{
    std::vector<std::string> names;
    for (const auto& preset : watchdog::presets()) {
        if (preset.policy.name != "rdma-nic") {
            names.emplace_back(preset.policy.name);
        }
    }
    return names;
}

std::string stem(const std::string& file)
{
    const auto slash = file.find_last_of('/') + 1;
    return file.substr(slash, file.find_last_of('.') - slash);
}

}  // namespace

ExitCode run_lab_table(const LabTableOptions& options)
{
    if (!options.problems.empty()) {
        return refuse(options.problems);
    }
    const auto policies = options.policies.empty() ? usual_policies() : options.policies;
    lab::PlanOptions plan;
    plan.files = options.files;
    plan.all = true;
    plan.sweeps = {fmt::format("{}={}", kParameter, fmt::join(policies, ","))};
    std::vector<std::string> texts;
    for (const auto& file : plan.files) {
        auto text = lab::read_scenario_file(file);
        if (!text) {
            return fail(text.error());
        }
        texts.push_back(std::move(*text));
    }
    const auto runs = lab::plan_runs(plan, texts);
    if (!runs) {
        return refuse(runs.error());
    }
    std::map<std::pair<std::string, std::string>, Cell> cells;  // by file and policy
    std::size_t finished = 0;
    Progress progress;
    lab::run_all(*runs, {.jobs = options.jobs}, [&](const lab::PlannedRun& run, const lab::RunDone& done) {
        auto& cell = cells[{run.file, run.settings.at(kParameter)}];
        if (done.outcome) {
            cell.score += score(run.scenario, done.outcome->events);
        } else {
            cell.cannot = true;
        }
        progress.show(static_cast<double>(++finished) / static_cast<double>(runs->size()),
                      fmt::format("{} of {} runs", finished, runs->size()));
    });
    progress.clear();
    std::string table = fmt::format("| pattern | {} |\n|---|", fmt::join(policies, " | "));
    for (std::size_t i = 0; i < policies.size(); ++i) {
        table += "---|";
    }
    for (const auto& file : plan.files) {
        table += fmt::format("\n| {} |", stem(file));
        for (const auto& policy : policies) {
            table += fmt::format(" {} |", text_of(cells[{file, policy}]));
        }
    }
    const auto text = kHeading + table + '\n';
    if (options.output.empty()) {
        return finish(text, ExitCode::ok);
    }
    const auto written = write_output_file(options.output, text);
    return written ? ExitCode::ok : fail(written.error());
}

}  // namespace petrel::cli
