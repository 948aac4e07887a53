#include "cli/lab_arguments.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/complaint_text.hpp"
#include "codec/scenario/values.hpp"

namespace petrel::cli {
namespace {

constexpr auto kLabExamples = R"(Examples:
  petrel lab run scenarios/nic-storm-leaf-spine.toml
  petrel lab run scenarios/*.toml                                many at once, on all cores
  petrel lab run scenarios/incast.toml --repeat 20 --json
  petrel lab run scenarios/deadlock-ring.toml --until 50ms --threads 2
  petrel lab run scenarios/mmu-alpha.toml --all --report /tmp/report
  petrel lab run scenarios/incast.toml --capture s0:Ethernet0 --pcap captures
  petrel lab run scenarios/nic-storm-leaf-spine.toml --pace 0.2
  petrel lab explain scenarios/incast.toml                       what it is about, in words

FILE is a scenario in TOML: fabric, traffic, faults, watchdogs, and what is expected of them. The same file and seed give
the same digest, whatever the number of threads. With --json every event is one line, and the last line is the summary;
of several runs there is the summary alone. The exit code is 5 if anything was not as expected.
)";

constexpr auto kUsualFolder = "scenarios";

// Reads a number within bounds, or adds a complaint.
template <class T>
void take_number(const std::string& flag, const std::string& text, T least, T most, T& into,
                 std::vector<Complaint>& problems)
{
    T value{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < least || value > most) {
        problems.push_back({flag, 0, 0, text, fmt::format("{}..{}", least, most)});
        return;
    }
    into = value;
}

}  // namespace

LabArguments::LabArguments(CLI::App& petrel)
    : app(petrel.add_subcommand("lab", "Run experiments on the twin of a fabric."))
{
    app->footer(kLabExamples);
    app->require_subcommand(0, 1);
    add_run();
    list_ = add_files_command("list", "The scenarios in a folder, with their parameters.");
    list_->add_flag("--markdown", files_.markdown, "A page: what each scenario shows, a table for each folder");
    check_ = add_files_command("check", "Read scenarios and say every problem; run nothing.");
    explain_ = add_files_command("explain", "Say in words what a scenario is about and what happens in it when.");
    add_table();
}

void LabArguments::add_table()
{
    table_ = app->add_subcommand("table", "How policies do against patterns: caught, latency, false actions.");
    table_->allow_extras();
    table_->add_option("FILE", table_options_.files, "Scenarios with a parameter `policy`")->type_name("");
    table_->add_option("--policy", table_options_.policies, "One of them; default: all presets for switches")
        ->type_name("NAME")
        ->allow_extra_args(false);
    table_->add_option("--jobs", jobs_, "Runs at the same time; default: as many as there are cores")->type_name("N");
    table_->add_option("-o,--output", table_options_.output, "Where the table goes; default: stdout")
        ->type_name("FILE");
}

void LabArguments::add_run()
{
    run_ = app->add_subcommand("run", "Run scenarios and show what happened, and whether it was as expected.");
    run_->footer(kLabExamples);
    run_->allow_extras();
    run_->add_option("FILE", options_.files, "The scenarios; - reads one from stdin")->type_name("");
    run_->add_option("--set", options_.settings, "A parameter of the scenario")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    run_->add_option("--sweep", options_.sweeps, "Run with each of these; several sweeps: all combinations")
        ->type_name("NAME=A,B,C")
        ->allow_extra_args(false);
    run_->add_flag("--all", options_.all, "Run with all values that the scenario itself names in [sweep]");
    run_->add_flag("--full", options_.full, "At full size: with the values that the scenario names in [full]");
    run_->add_option("--seed", seed_, "Instead of the scenario's")->type_name("N");
    run_->add_option("--repeat", repeat_, "Run so often, each time with the next seed")->type_name("N");
    run_->add_option("--jobs", jobs_, "Runs at the same time; default: as many as there are cores")->type_name("N");
    run_->add_option("--threads", threads_, "Of each run; the result does not depend on it; default: 1")
        ->type_name("N");
    run_->add_flag("--json", options_.json, "Events and summary, one JSON object a line");
    run_->add_option("--until", options_.until, "Stop then instead of at the scenario's end")->type_name("TIME");
    run_->add_option("--report", options_.report, "Write a page that tells the story, and its numbers as JSON and CSV")
        ->type_name("FOLDER");
    run_->add_option("--capture", options_.captures,
                     "Capture the link at this port, besides what the scenario captures")
        ->type_name("NODE:PORT")
        ->allow_extra_args(false);
    run_->add_option("--pcap", options_.pcap, "Write what is captured, a file for each end of a link")
        ->type_name("FOLDER");
    run_->add_option("--trace", options_.trace, "Write what the switches tell every 10 ms, for `petrel replay`")
        ->type_name("FILE");
    run_->add_option("--syslog", options_.syslog, "Add what the switches log to a file, or send it to a socket")
        ->type_name("PATH");
    run_->add_option("--pace", pace_, "Simulated seconds in one of the wall clock; default: as fast as possible")
        ->type_name("X");
}

CLI::App* LabArguments::add_files_command(const std::string& name, const std::string& about)
{
    auto* command = app->add_subcommand(name, about);
    command->allow_extras();
    command->add_option("FILE", files_.files, "Scenarios, or folders with scenarios")->type_name("");
    command->add_option("--set", files_.settings, "A parameter of the scenario")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    return command;
}

LabOptions LabArguments::run_request(std::vector<Complaint> problems) const
{
    auto wanted = options_;
    wanted.problems = std::move(problems);
    if (options_.files.empty()) {
        wanted.problems.push_back({"FILE", 0, 0, "which scenario? A file, or - for stdin", {}});
    }
    if (!threads_.empty()) {
        take_number("--threads", threads_, 1U, 64U, wanted.threads, wanted.problems);
    }
    if (!jobs_.empty()) {
        take_number("--jobs", jobs_, 1U, 1'024U, wanted.jobs, wanted.problems);
    }
    if (!repeat_.empty()) {
        take_number<std::uint32_t>("--repeat", repeat_, 1, 10'000, wanted.repeat, wanted.problems);
    }
    if (!seed_.empty()) {
        take_number<std::uint64_t>("--seed", seed_, 0, UINT64_MAX, wanted.seed.emplace(), wanted.problems);
    }
    if (!pace_.empty()) {
        take_number("--pace", pace_, 1e-6, 1e6, wanted.pace, wanted.problems);
    }
    if (!options_.captures.empty() && !options_.pcap) {
        wanted.problems.push_back({"--capture", 0, 0, "and where to? Give --pcap FOLDER as well", {}});
    }
    if (!options_.until.empty() && !codec::time_in_ps(options_.until)) {
        wanted.problems.push_back({"--until", 0, 0, options_.until, std::string{codec::kTimeAllowed}});
    }
    return wanted;
}

Parsed<std::variant<LabOptions, LabFilesOptions, LabTableOptions>>
LabArguments::request(std::vector<Complaint> problems) const
{
    const auto chosen = app->get_subcommands();
    if (chosen.empty()) {
        constexpr std::array<std::string_view, 5> kCommands{"run", "list", "check", "explain", "table"};
        const auto words = app->remaining();
        const auto word = words.empty() ? std::string{} : words.front();
        return tl::unexpected(
            std::vector{Complaint{"petrel lab", 0, 0, word, "a command, " + instead_of(word, kCommands)}});
    }
    if (chosen.front() == run_) {
        return run_request(std::move(problems));
    }
    if (chosen.front() == table_) {
        auto wanted = table_options_;
        wanted.problems = std::move(problems);
        if (wanted.files.empty()) {
            wanted.problems.push_back({"FILE", 0, 0, "which scenarios? Those with a parameter `policy`", {}});
        }
        if (!jobs_.empty()) {
            take_number("--jobs", jobs_, 1U, 1'024U, wanted.jobs, wanted.problems);
        }
        return wanted;
    }
    using What = LabFilesOptions::What;
    auto wanted = files_;
    wanted.problems = std::move(problems);
    wanted.what = chosen.front() == list_ ? What::list : chosen.front() == check_ ? What::check : What::explain;
    if (wanted.files.empty() && wanted.what == What::list) {
        wanted.files = {kUsualFolder};
    } else if (wanted.files.empty()) {
        wanted.problems.push_back({"FILE", 0, 0, "which scenario? A file, or a folder with scenarios", {}});
    }
    return wanted;
}

}  // namespace petrel::cli
