// The flags of `petrel lab`. Problems of the command line are reported together with those of the scenarios.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>

#include "cli/arguments.hpp"
#include "codec/scenario/values.hpp"

namespace petrel::cli {
namespace {

constexpr auto kUsualFolder = "scenarios";
constexpr std::uint64_t kUsualRuns = 300;
constexpr std::uint64_t kMostRuns = 1'000'000'000;
constexpr auto kJobsAbout = "Runs at the same time; default: as many as there are cores";

// Reads a number within bounds, or adds a complaint. An empty text leaves the default.
template <class T>
void take_number(const std::string& flag, const std::string& text, T least, T most, T& into,
                 std::vector<Complaint>& problems)
{
    if (text.empty()) {
        return;
    }
    T value{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < least || value > most) {
        problems.push_back({flag, 0, 0, text, fmt::format("{}..{}", least, most)});
        return;
    }
    into = value;
}

void take_jobs(const std::string& text, unsigned& into, std::vector<Complaint>& problems)
{
    take_number("--jobs", text, 1U, 1'024U, into, problems);
}

// Numbers are kept as text and read later, so that all problems are reported together.
struct LabRunArguments {
    LabOptions options;
    std::string threads;
    std::string jobs;
    std::string repeat;
    std::string seed;
    std::string pace;

    LabOptions wanted(Call call) const
    {
        auto wanted = options;
        wanted.peers = call.peers;
        wanted.problems = std::move(call.problems);
        auto& problems = wanted.problems;
        if (options.plan.files.empty()) {
            problems.push_back({"FILE", 0, 0, "which scenario? A file, or - for stdin", {}});
        }
        take_number("--threads", threads, 1U, 64U, wanted.pool.threads, problems);
        take_jobs(jobs, wanted.pool.jobs, problems);
        take_number<std::uint32_t>("--repeat", repeat, 1, 10'000, wanted.plan.repeat, problems);
        if (!seed.empty()) {
            take_number<std::uint64_t>("--seed", seed, 0, UINT64_MAX, wanted.plan.seed.emplace(), problems);
        }
        take_number("--pace", pace, 1e-6, 1e6, wanted.pace, problems);
        if (!options.captures.empty() && !options.pcap) {
            problems.push_back({"--capture", 0, 0, "and where to? Give --pcap FOLDER as well", {}});
        }
        if (!options.plan.until.empty() && !codec::time_in_ps(options.plan.until)) {
            problems.push_back({"--until", 0, 0, options.plan.until, std::string{codec::kTimeAllowed}});
        }
        return wanted;
    }
};

}  // namespace

Handler lab_run_flags(CLI::App& app)
{
    const auto given = std::make_shared<LabRunArguments>();
    auto& options = given->options;
    app.add_option("FILE", options.plan.files, "The scenarios; - reads one from stdin")->type_name("");
    app.add_option("--set", options.plan.settings, "A parameter of the scenario")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    app.add_option("--sweep", options.plan.sweeps, "Run with each of these; several sweeps: all combinations")
        ->type_name("NAME=A,B,C")
        ->allow_extra_args(false);
    app.add_flag("--all", options.plan.all, "Run with all values of the scenario's own [sweep]");
    app.add_flag("--full", options.plan.full, "At full size: with the values of the scenario's [full]");
    app.add_option("--seed", given->seed, "The seed, instead of the scenario's")->type_name("N");
    app.add_option("--repeat", given->repeat, "Number of runs, each with the next seed")->type_name("N");
    app.add_option("--jobs", given->jobs, kJobsAbout)->type_name("N");
    app.add_option("--threads", given->threads, "Threads of each run; the result does not depend on it; default: 1")
        ->type_name("N");
    app.add_flag("--json", options.json, "Events and summary, one JSON object a line");
    app.add_option("--until", options.plan.until, "Stop the run at this time, instead of at the scenario's end")
        ->type_name("TIME");
    app.add_option("--report", options.report, "Write a page that describes the run, and its numbers as JSON and CSV")
        ->type_name("FOLDER");
    app.add_option("--capture", options.captures, "Capture the link at this port, besides what the scenario captures")
        ->type_name("NODE:PORT")
        ->allow_extra_args(false);
    app.add_option("--pcap", options.pcap, "Write what is captured, a file for each end of a link")
        ->type_name("FOLDER");
    app.add_option("--trace", options.trace, "Write the samples of the switches every 10 ms, for `petrel replay`")
        ->type_name("FILE");
    app.add_option("--syslog", options.syslog, "Append the log of the switches to a file, or send it to a socket")
        ->type_name("PATH");
    app.add_option("--pace", given->pace, "Simulated seconds in one of the wall clock; default: as fast as possible")
        ->type_name("X");
    return [given](Call call) { return run_lab(given->wanted(std::move(call))); };
}

Flags lab_files_flags(LabFilesOptions::What what)
{
    return [what](CLI::App& app) -> Handler {
        const auto options = std::make_shared<LabFilesOptions>();
        options->what = what;
        app.add_option("FILE", options->files, "Scenarios, or folders with scenarios")->type_name("");
        app.add_option("--set", options->settings, "A parameter of the scenario")
            ->type_name("NAME=VALUE")
            ->allow_extra_args(false);
        if (what == LabFilesOptions::What::list) {
            app.add_flag("--markdown", options->markdown, "A page: what each scenario shows, a table for each folder");
        }
        return [options](Call call) {
            options->problems = std::move(call.problems);
            if (options->files.empty() && options->what == LabFilesOptions::What::list) {
                options->files = {kUsualFolder};
            } else if (options->files.empty()) {
                options->problems.push_back({"FILE", 0, 0, "which scenario? A file, or a folder with scenarios", {}});
            }
            return run_lab_files(*options);
        };
    };
}

Handler lab_table_flags(CLI::App& app)
{
    const auto options = std::make_shared<LabTableOptions>();
    const auto jobs = std::make_shared<std::string>();
    app.add_option("FILE", options->files, "Scenarios with a parameter `policy`")->type_name("");
    app.add_option("--policy", options->policies, "One of them; default: all presets for switches")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--jobs", *jobs, kJobsAbout)->type_name("N");
    app.add_option("-o,--output", options->output, "Where the table goes; default: stdout")->type_name("FILE");
    return [options, jobs](Call call) {
        options->problems = std::move(call.problems);
        if (options->files.empty()) {
            options->problems.push_back({"FILE", 0, 0, "which scenarios? Those with a parameter `policy`", {}});
        }
        take_jobs(*jobs, options->jobs, options->problems);
        return run_lab_table(*options);
    };
}

Handler lab_swarm_flags(CLI::App& app)
{
    struct Given {
        LabSwarmOptions options;
        std::string runs;
        std::string seed;
        std::string minutes;
        std::string jobs;
    };
    const auto given = std::make_shared<Given>();
    app.add_option("FILE", given->options.files, "Judge these scenarios instead of drawn ones")->type_name("");
    app.add_option("--runs", given->runs, "How many; default: 300, or with --minutes no limit")->type_name("N");
    app.add_option("--seed", given->seed, "Seed of the first run; each further run has the next seed; default: 1")
        ->type_name("N");
    app.add_option("--minutes", given->minutes, "Start no run after this time")->type_name("N");
    app.add_option("--jobs", given->jobs, kJobsAbout)->type_name("N");
    app.add_option("-o,--output", given->options.output, "Where the shrunk scenario goes; default: swarm-SEED.toml")
        ->type_name("FILE");
    return [given](Call call) {
        auto options = given->options;
        options.problems = std::move(call.problems);
        auto& campaign = options.campaign;
        campaign.runs = given->minutes.empty() ? kUsualRuns : kMostRuns;
        take_number<std::uint64_t>("--runs", given->runs, 1, kMostRuns, campaign.runs, options.problems);
        take_number<std::uint64_t>("--seed", given->seed, 0, INT64_MAX, campaign.seed, options.problems);
        take_jobs(given->jobs, campaign.jobs, options.problems);
        if (!given->minutes.empty()) {
            int minutes = 0;
            take_number("--minutes", given->minutes, 1, 100'000, minutes, options.problems);
            campaign.minutes = std::chrono::minutes{minutes};
        }
        return run_lab_swarm(options);
    };
}

}  // namespace petrel::cli
