// The flags of `petrel replay` and `petrel policies`.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/arguments.hpp"
#include "cli/policies_command.hpp"
#include "cli/replay_command.hpp"
#include "watchdog/policy.hpp"

namespace petrel::cli {
namespace {

std::string flag_of(std::string_view key)
{
    auto flag = fmt::format("--{}", key);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

std::string value_kind(std::string_view key)
{
    if (key.ends_with("_ms")) {
        return "MS";
    }
    return key.ends_with("_ppm") ? "PPM" : "VALUE";
}

class ReplayArguments {
public:
    explicit ReplayArguments(CLI::App& app) : app_(app)
    {
        app.add_option("TRACE", options_.trace, "The recording; - reads stdin")->type_name("");
        app.add_option("--policy", options_.policies,
                       "A policy of `petrel policies`, with its own parameters if any; several are compared in a table")
            ->type_name("NAME[:key=value,...]")
            ->allow_extra_args(false);
        single("--config", options_.config, "Policies from a file instead")->type_name("FILE.toml");
        single("--host-ports", options_.host_ports,
               "The ports whose peer is a server (rdma-switch watches only those); without any role: all")
            ->type_name("NAME,...|all");
        single("--survives", options_.survives,
               "Which signals keep counting while a queue is mitigated; default: all in the trace")
            ->type_name("FIELD,...|none");
        single("--stamp-uncertainty-ms", options_.stamp_uncertainty_ms,
               "How far the time between two stamps may be wrong; default: the jitter of the trace")
            ->type_name("MS");
        app.add_flag("--start-default", options_.start_default,
                     "SONiC's start_default timers for the number of ports in the trace");
        app.add_flag("--check", options_.check, "Exit with 1 if any policy finds a storm, or can find none");
        single("--format", options_.format, "How the result is shown; default: text")->type_name("text|json|html");
        app.add_flag("--json", json_, "The same as --format json: one event a line");
        single("-o,--output", options_.output, "Where the result goes; default: stdout")->type_name("FILE");
        add_parameters();
    }

    // The problems of the command line become part of the options, so that they are reported together with those of the
    // trace and the policies.
    ReplayOptions wanted(Call call) const
    {
        auto wanted = options_;
        wanted.problems = std::move(call.problems);
        check(wanted.problems);
        if (trace_follows_unknown_flag(call.words)) {
            wanted.trace.clear();
        }
        wanted.format = json_ ? "json" : options_.format;
        for (const auto& setting : settings_) {
            if (app_.count(setting.flag) != 0) {
                wanted.settings.push_back(setting);
            }
        }
        return wanted;
    }

private:
    void check(std::vector<Complaint>& problems) const
    {
        complain_repeated(problems);
        if (options_.output && options_.output->empty()) {
            problems.push_back({"--output", 0, 0, "which one? A file, or - for stdout", {}});
        }
        if (options_.trace.empty()) {
            problems.push_back({"TRACE", 0, 0, "which one? A file, or - for stdin", {}});
        }
        constexpr std::array<std::string_view, 3> kFormats{"text", "json", "html"};
        if (std::find(kFormats.begin(), kFormats.end(), options_.format) == kFormats.end()) {
            problems.push_back({"--format", 0, 0, options_.format, "text, json or html"});
        } else if (json_ && app_.count("--format") != 0 && options_.format != "json") {
            problems.push_back({"--json", 0, 0, fmt::format("contradicts --format {}", options_.format), {}});
        }
    }

    // Repeated flags are an error: one of the values would be ignored silently.
    void complain_repeated(std::vector<Complaint>& problems) const
    {
        for (const auto* option : app_.get_options()) {
            if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast && option->count() > 1) {
                const auto values = fmt::format("{}", fmt::join(option->results(), ", "));
                problems.push_back({option->get_name(), 0, 0, fmt::format("give it once, not {}", values), {}});
            }
        }
    }

    // "--bogus 7 trace.csv": the parser took 7 for the trace.
    bool trace_follows_unknown_flag(const std::vector<std::string>& words) const
    {
        const auto unknown = app_.remaining();
        const auto at = std::adjacent_find(words.begin(), words.end(), [&](const auto& before, const auto& after) {
            return after == options_.trace && std::find(unknown.begin(), unknown.end(), before) != unknown.end();
        });
        return at != words.end();
    }

    // The parser takes the last of several values, so that complain_repeated() can report all of them.
    template <class T>
    CLI::Option* single(const std::string& names, T& value, const std::string& about)
    {
        return app_.add_option(names, value, about)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }

    void add_parameters()
    {
        for (const auto& parameter : watchdog::parameters()) {
            settings_.push_back({flag_of(parameter.key), std::string{parameter.key}, {}});
        }
        for (std::size_t i = 0; i < settings_.size(); ++i) {
            single(settings_[i].flag, settings_[i].value, std::string{watchdog::parameters()[i].about})
                ->type_name(value_kind(settings_[i].key))
                ->group("Parameters of every policy (ranges: petrel policies)");
        }
    }

    CLI::App& app_;
    ReplayOptions options_;
    std::vector<Setting> settings_;  // one per parameter, given or not; the parser holds pointers into it
    bool json_{};
};

}  // namespace

Handler replay_flags(CLI::App& app)
{
    return [arguments = std::make_shared<ReplayArguments>(app)](Call call) {
        return run_replay(arguments->wanted(std::move(call)));
    };
}

Handler policies_flags(CLI::App& app)
{
    const auto options = std::make_shared<PoliciesOptions>();
    app.add_option("PRESET", options->preset, "Only this one")->type_name("");
    app.add_flag("--json", options->json, "As one JSON object");
    return handler([options](const Call&) { return run_policies(*options); });
}

}  // namespace petrel::cli
