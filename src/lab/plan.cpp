#include "lab/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "codec/scenario/reader.hpp"
#include "codec/scenario/values.hpp"
#include "runtime/atomic_file.hpp"

namespace petrel::lab {

namespace {

constexpr std::size_t kMostRuns = 10'000;

using codec::Sweep;

// Splits "name=rest"; both parts must be present.
std::optional<std::pair<std::string, std::string>> halves(const std::string& text)
{
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        return std::nullopt;
    }
    return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> parts(std::string_view text)
{
    std::vector<std::string> all;
    while (true) {
        const auto comma = text.find(',');
        all.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos) {
            return all;
        }
        text.remove_prefix(comma + 1);
    }
}

std::vector<Sweep> sweeps_of(const std::vector<std::string>& texts, std::vector<Complaint>& problems)
{
    std::vector<Sweep> sweeps;
    for (const auto& text : texts) {
        const auto both = halves(text);
        auto values = both ? parts(both->second) : std::vector<std::string>{};
        if (!both || std::find(values.begin(), values.end(), "") != values.end()) {
            problems.push_back({"--sweep", 0, 0, text, "name=a,b,c"});
            continue;
        }
        if (std::any_of(sweeps.begin(), sweeps.end(), [&](const Sweep& other) { return other.name == both->first; })) {
            problems.push_back({"--sweep", 0, 0, text, "each name once"});
            continue;
        }
        sweeps.push_back({both->first, std::move(values)});
    }
    return sweeps;
}

// The number of runs; the count stops just above the limit.
std::size_t runs_of(const std::vector<Sweep>& sweeps, std::size_t repeat)
{
    auto count = repeat;
    for (const auto& sweep : sweeps) {
        count = std::min(count * sweep.values.size(), kMostRuns + 1);
    }
    return count;
}

// All combinations; the values of the last sweep change fastest.
std::vector<codec::Settings> combinations(const codec::Settings& fixed, const std::vector<Sweep>& sweeps)
{
    std::vector<codec::Settings> all{fixed};
    for (const auto& sweep : sweeps) {
        std::vector<codec::Settings> more;
        for (const auto& one : all) {
            for (const auto& value : sweep.values) {
                more.push_back(one);
                more.back()[sweep.name] = value;
            }
        }
        all = std::move(more);
    }
    return all;
}

// With --full: adds the file's values for full size, for parameters that are not set otherwise.
codec::Settings fixed_with(const PlanOptions& options, const codec::ScenarioTemplate& own, codec::Settings fixed)
{
    if (options.full) {
        fixed.insert(own.full.begin(), own.full.end());
    }
    return fixed;
}

// With --all: adds the file's sweeps, for parameters that are not set otherwise.
std::vector<Sweep> swept_with(const PlanOptions& options, const codec::ScenarioTemplate& own,
                              const codec::Settings& fixed, std::vector<Sweep> sweeps)
{
    const auto is_set = [&](const std::string& name) {
        return fixed.contains(name) ||
               std::any_of(sweeps.begin(), sweeps.end(), [&](const Sweep& sweep) { return sweep.name == name; });
    };
    for (const auto& sweep : own.sweeps) {
        if (options.all && !is_set(sweep.name)) {
            sweeps.push_back(sweep);
        }
    }
    return sweeps;
}

std::string shell_quoted(const std::string& text)
{
    constexpr auto kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,%+@";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
    }
    return quoted + '\'';
}

std::string command_of(const PlannedRun& run, const PlanOptions& options, bool own_seed)
{
    auto command = fmt::format("petrel lab run {}", shell_quoted(run.file));
    for (const auto& [name, value] : run.settings) {
        command += fmt::format(" --set {}", shell_quoted(fmt::format("{}={}", name, value)));
    }
    if (own_seed) {
        command += fmt::format(" --seed {}", run.scenario.setup.seed);
    }
    return options.until.empty() ? command : fmt::format("{} --until {}", command, shell_quoted(options.until));
}

// The name of a file in complaints.
std::string name_in_complaints(const std::string& file) { return file == "-" ? "stdin" : file; }

// The seed also determines the traffic: each repetition reads the scenario again.
Parsed<std::vector<PlannedRun>> repeated(const PlanOptions& options, std::size_t number, std::string_view text,
                                         const codec::Defaults& defaults, const codec::Settings& settings)
{
    const auto file = name_in_complaints(options.files[number]);
    const auto filled = codec::fill_in(text, file, settings);
    if (!filled) {
        return tl::unexpected(filled.error());
    }
    std::vector<PlannedRun> runs;
    for (auto seed = options.seed; runs.size() < options.repeat;) {
        auto scenario = codec::read_scenario(*filled, file, seed, defaults);
        if (!scenario) {
            return tl::unexpected(std::move(scenario.error()));
        }
        const auto end = codec::time_in_ps(options.until).value_or(scenario->duration);
        runs.push_back({options.files[number], settings, std::move(*scenario), end, {}});
        runs.back().command = command_of(runs.back(), options, seed.has_value());
        seed = runs.back().scenario.setup.seed + 1;
    }
    return runs;
}

}  // namespace

std::string PlannedRun::label() const
{
    auto label = file;
    for (const auto& [name, value] : settings) {
        label += fmt::format(" {}={}", name, value);
    }
    return fmt::format("{} seed {}", label, scenario.setup.seed);
}

codec::Settings settings_of(const std::vector<std::string>& texts, std::vector<Complaint>& problems)
{
    codec::Settings settings;
    for (const auto& text : texts) {
        const auto both = halves(text);
        if (!both) {
            problems.push_back({"--set", 0, 0, text, "name=value"});
        } else if (!settings.emplace(*both).second) {
            problems.push_back({"--set", 0, 0, text, "each name once"});
        }
    }
    return settings;
}

Result<std::string> read_scenario_file(const std::string& file)
{
    auto text = runtime::read_whole_file(file == "-" ? "/dev/stdin" : file);
    if (!text && text.error().kind == ErrorKind::unreachable) {
        // A missing file is a wrong argument, not an unreachable device.
        text.error().kind = ErrorKind::invalid;
    }
    return text;
}

Parsed<std::vector<PlannedRun>> plan_runs(const PlanOptions& options, const std::vector<std::string>& texts,
                                          const codec::ReadText& read)
{
    std::vector<Complaint> problems;
    const auto fixed = settings_of(options.settings, problems);
    const auto sweeps = sweeps_of(options.sweeps, problems);
    for (const auto& sweep : sweeps) {
        if (fixed.contains(sweep.name)) {
            problems.push_back({"--sweep", 0, 0, sweep.name, "a parameter that is not --set as well"});
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    std::vector<PlannedRun> runs;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto own = codec::read_template(texts[i], options.files[i]);
        if (!own) {
            problems.insert(problems.end(), own.error().begin(), own.error().end());
            continue;
        }
        const auto defaults = codec::read_defaults(texts[i], name_in_complaints(options.files[i]), read);
        if (!defaults) {
            problems.insert(problems.end(), defaults.error().begin(), defaults.error().end());
            continue;
        }
        const auto swept = swept_with(options, *own, fixed, sweeps);
        if (runs.size() + runs_of(swept, options.repeat) > kMostRuns) {
            problems.push_back({"--sweep", 0, 0, fmt::format("more than {} runs", kMostRuns), {}});
            break;
        }
        for (const auto& settings : combinations(fixed_with(options, *own, fixed), swept)) {
            auto more = repeated(options, i, texts[i], *defaults, settings);
            if (!more) {
                problems.insert(problems.end(), more.error().begin(), more.error().end());
                break;  // the next combination would have the same problems
            }
            std::move(more->begin(), more->end(), std::back_inserter(runs));
        }
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    return runs;
}

}  // namespace petrel::lab
