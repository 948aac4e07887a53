#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/complaint_text.hpp"
#include "cli/agent_arguments.hpp"
#include "cli/config_arguments.hpp"
#include "cli/control_arguments.hpp"
#include "cli/lab_arguments.hpp"
#include "link/decode.hpp"
#include "watchdog/policy.hpp"

namespace petrel::cli {
namespace {

constexpr auto kExitCodes = "Exit codes: 0 ok, 1 failure or storm found, 2 usage or configuration, 3 unreachable,\n"
                            "4 permission, 5 expectation failed, 130 interrupted.";

constexpr auto kExamples = R"(Examples:
  petrel demo                                       see a storm being detected, contained and released
  petrel replay trace.csv --policy sonic            what the watchdog makes of a recorded trace
  petrel lab run scenarios/incast.toml              a fabric in simulated time, with its watchdogs
  petrel replay --help                              everything about a command

)";

constexpr auto kReplayAbout = "Run a recorded trace through the watchdog and show what it would have done.";

constexpr auto kReplayExamples = R"(Examples:
  petrel replay storm.csv --policy sonic
  petrel replay storm.csv --policy sonic --detect-ms 200 --action alert --json
  petrel replay storm.csv --policy sonic --policy sonic:detect-ms=200 --policy progress
  petrel replay storm.csv --policy sonic --policy sai --format html -o storm.html
  petrel replay storm.csv --config petrel.toml --check
  zcat storm.csv.gz | petrel replay - --policy rdma-switch --host-ports Ethernet0,Ethernet4

TRACE is CSV with a header (time_us,port,queue and what the device can tell) or JSON lines with the same names.
Commands are taken as applied at once, and time is what the trace says. The exit code is 0 whether or not there is
a storm in the trace; with --check it is 1 if any policy found one.
)";

constexpr auto kDemoExamples = R"(Examples:
  petrel demo                the story in slow motion; where stdout is no terminal, as fast as it can be told
  petrel demo --fast         as fast as it can be told
  petrel demo --json         the watchdog's events alone, one JSON object a line
)";

constexpr auto kPoliciesExamples = R"(Examples:
  petrel policies
  petrel policies --json | jq '.policies[].name'
)";

constexpr auto kLinkExamples = R"(Examples:
  petrel link explain 36                            what a reason means, who sets it, what to do
  petrel link decode --from ethtool 0.1             another vendor's code in the same words
  petrel link play story.jsonl                      events over one link: what both ends and the manager then know
)";

constexpr auto kLinkPlayExamples = R"(Examples:
  petrel link play story.jsonl
  petrel link play - --json < story.jsonl

A script has one JSON object a line, e.g. {"do":"down","at":"A","reason":39}, {"do":"up"}, {"do":"sweep","time":10},
{"do":"read"}, {"do":"log"}. A is a switch port, B the NIC port it is connected to; both begin Active, with all registers 0.
"read" and "log" answer with a line of JSON; a script that has neither is answered with how it ends. An event that cannot
happen in the present state is ignored, and said on stderr. All events: docs/link-down.md.
)";

constexpr auto kLinkDecodeExamples = R"(Examples:
  petrel link decode --from sai 0x21                several bits: the lowest layer first
  petrel link decode --from hpe cass_origin:13      a list other than the vendor's first
  petrel link decode --from sonic Remote-fault
)";

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

// Each command first stores its arguments as text. They are interpreted later, so that all problems are reported
// together.
struct ReplayCommand {
    CLI::App* app{};
    ReplayOptions options;
    std::vector<Setting> settings;  // one per parameter, given or not; the parser holds pointers into it
    bool json{};

    explicit ReplayCommand(CLI::App& petrel) : app(petrel.add_subcommand("replay", kReplayAbout))
    {
        app->footer(kReplayExamples);
        app->add_option("TRACE", options.trace, "The recording; - reads stdin")->type_name("");
        app->add_option(
               "--policy", options.policies,
               "A policy of `petrel policies`, with its own parameters if any; several are compared side by side")
            ->type_name("NAME[:key=value,...]")
            ->allow_extra_args(false);
        single("--config", options.config, "Policies from a file instead")->type_name("FILE.toml");
        single("--host-ports", options.host_ports,
               "The ports whose peer is a server (rdma-switch watches only those); without any role: all")
            ->type_name("NAME,...|all");
        single("--survives", options.survives,
               "Which signals keep counting while a queue is mitigated; default: all in the trace")
            ->type_name("FIELD,...|none");
        app->add_flag("--start-default", options.start_default,
                      "SONiC's start_default timers for the number of ports in the trace");
        app->add_flag("--check", options.check, "Exit with 1 if any policy finds a storm, or watches nothing");
        single("--format", options.format, "How the result is shown; default: text")->type_name("text|json|html");
        app->add_flag("--json", json, "The same as --format json: one event a line");
        single("-o,--output", options.output, "Where the result goes; default: stdout")->type_name("FILE");
        add_parameters();
    }

    // `problems` become part of the request, so that they are reported together with those of the trace and the
    // policies.
    ReplayOptions request(std::vector<Complaint> problems, bool trace_may_be_a_value) const
    {
        auto wanted = options;
        wanted.problems = std::move(problems);
        check(wanted.problems);
        if (trace_may_be_a_value) {
            wanted.trace.clear();
        }
        wanted.format = json ? "json" : options.format;
        for (const auto& setting : settings) {
            if (app->count(setting.flag) != 0) {
                wanted.settings.push_back(setting);
            }
        }
        return wanted;
    }

private:
    void check(std::vector<Complaint>& problems) const
    {
        complain_repeated(problems);
        if (options.output && options.output->empty()) {
            problems.push_back({"--output", 0, 0, "which one? A file, or - for stdout", {}});
        }
        if (options.trace.empty()) {
            problems.push_back({"TRACE", 0, 0, "which one? A file, or - for stdin", {}});
        }
        constexpr std::array<std::string_view, 3> kFormats{"text", "json", "html"};
        if (std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end()) {
            problems.push_back({"--format", 0, 0, options.format, "text, json or html"});
        } else if (json && app->count("--format") != 0 && options.format != "json") {
            problems.push_back({"--json", 0, 0, fmt::format("contradicts --format {}", options.format), {}});
        }
    }

    // Repeated flags are an error: one of the values would be ignored silently.
    void complain_repeated(std::vector<Complaint>& problems) const
    {
        for (const auto* option : app->get_options()) {
            if (option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast && option->count() > 1) {
                const auto values = fmt::format("{}", fmt::join(option->results(), ", "));
                problems.push_back({option->get_name(), 0, 0, fmt::format("once is enough, not {}", values), {}});
            }
        }
    }

    // The parser takes the last of several values, so that complain_repeated() can report all of them.
    template <class T>
    CLI::Option* single(const std::string& names, T& value, const std::string& about)
    {
        return app->add_option(names, value, about)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }

    void add_parameters()
    {
        for (const auto& parameter : watchdog::parameters()) {
            settings.push_back({flag_of(parameter.key), std::string{parameter.key}, {}});
        }
        for (std::size_t i = 0; i < settings.size(); ++i) {
            single(settings[i].flag, settings[i].value, std::string{watchdog::parameters()[i].about})
                ->type_name(value_kind(settings[i].key))
                ->group("Parameters of every policy (ranges: petrel policies)");
        }
    }
};

struct DemoCommand {
    CLI::App* app{};
    demo::Options options;

    explicit DemoCommand(CLI::App& petrel)
        : app(petrel.add_subcommand(
              "demo",
              "One network card freezes a small fabric: first unwatched, then detected, contained and released."))
    {
        app->footer(kDemoExamples);
        auto* paced = app->add_flag("--realtime", options.realtime, "Paced by the wall clock, terminal or not");
        app->add_flag("--fast", options.fast, "Not paced, terminal or not")->excludes(paced);
        app->add_option("--report", options.report, "The report's folder; else a new one among the temporary files")
            ->type_name("DIR");
        app->add_flag("--json", options.json, "Only the events, one JSON object a line");
    }
};

struct PoliciesCommand {
    CLI::App* app{};
    PoliciesOptions options;

    explicit PoliciesCommand(CLI::App& petrel)
        : app(petrel.add_subcommand("policies", "The presets, and every parameter with its default and range."))
    {
        app->footer(kPoliciesExamples);
        app->add_flag("--json", options.json, "As one JSON object");
    }
};

struct LinkCommand {
    CLI::App* app{};
    CLI::App* play{};
    CLI::App* explain{};
    CLI::App* decode{};
    CLI::App* codes{};
    LinkPlayOptions play_options;
    LinkExplainOptions explain_options;
    LinkDecodeOptions decode_options;
    LinkCodesOptions codes_options;

    explicit LinkCommand(CLI::App& petrel) : app(petrel.add_subcommand("link", "Why links go down, on both ends."))
    {
        app->footer(kLinkExamples);
        play = app->add_subcommand("play", "Play a script of events over one link and print registers and histories.");
        play->footer(kLinkPlayExamples);
        play->add_option("FILE", play_options.file, "The script, JSON lines; - reads stdin")->type_name("");
        play->add_flag("--json", play_options.json, "JSON only, also for how a script ends");
        play->add_flag("--newest-first", play_options.newest_first, "Histories begin with the last event");
        explain = app->add_subcommand("explain", "What a reason means, who sets it, what to do.");
        explain->add_option("CODE", explain_options.code, "0..255")->type_name("");
        explain->add_flag("--json", explain_options.json, "As one JSON object");
        decode = app->add_subcommand("decode", "Another vendor's code in the same words.");
        decode->footer(kLinkDecodeExamples);
        decode->add_option("--from", decode_options.from, "Whose code it is")->type_name(allowed_vendors());
        decode->add_option("VALUE", decode_options.value, "The code, as that vendor writes it")->type_name("");
        decode->add_flag("--json", decode_options.json, "As one JSON object");
        codes = app->add_subcommand("codes", "All reasons.");
        codes->add_flag("--json", codes_options.json, "As one JSON object, reserved codes included");
        for (auto* command : app->get_subcommands({})) {
            command->allow_extras();
        }
    }

    Parsed<Request> request(std::vector<Complaint> problems) const
    {
        const auto chosen = app->get_subcommands();
        if (chosen.empty()) {
            constexpr std::array<std::string_view, 4> kCommands{"play", "explain", "decode", "codes"};
            const auto words = app->remaining();
            const auto word = words.empty() ? std::string{} : words.front();
            return tl::unexpected(
                std::vector{Complaint{"petrel link", 0, 0, word, "a command, " + instead_of(word, kCommands)}});
        }
        const auto want = [&](const char* what, const std::string& given, const std::string& question) {
            if (given.empty()) {
                problems.push_back({what, 0, 0, question, {}});
            }
        };
        if (chosen.front() == play) {
            want("FILE", play_options.file, "which script? A file, or - for stdin");
        } else if (chosen.front() == explain) {
            want("CODE", explain_options.code, "which one? 0..255");
        } else if (chosen.front() == decode) {
            want("--from", decode_options.from, "whose code? " + allowed_vendors());
            want("VALUE", decode_options.value, "which code?");
        }
        if (!problems.empty()) {
            return tl::unexpected(std::move(problems));
        }
        return chosen_options(chosen.front());
    }

private:
    static std::string allowed_vendors() { return fmt::format("{}", fmt::join(link::vendors(), "|")); }

    Request chosen_options(const CLI::App* chosen) const
    {
        if (chosen == play) {
            return play_options;
        }
        if (chosen == explain) {
            return explain_options;
        }
        return chosen == decode ? Request{decode_options} : Request{codes_options};
    }
};

std::vector<std::string> flags_of(const CLI::App& app)
{
    std::vector<std::string> flags;
    for (const auto* option : app.get_options()) {
        for (const auto& name : option->get_lnames()) {
            flags.push_back("--" + name);
        }
    }
    return flags;
}

void complain_unknown_flags(const CLI::App& app, std::vector<Complaint>& complaints)
{
    const auto flags = flags_of(app);
    const std::vector<std::string_view> known(flags.begin(), flags.end());
    bool flag_before = false;
    for (const auto& word : app.remaining()) {
        const bool flag = word.starts_with('-') && word != "-";
        if (flag) {
            const auto near = nearest(word.substr(0, word.find('=')), known);
            const auto hint = near.empty() ? std::string{} : fmt::format("; the nearest is {}", near);
            complaints.push_back({word, 0, 0, "no such flag" + hint, {}});
        } else if (!flag_before) {  // else it may be the value of that flag
            complaints.push_back({word, 0, 0, "one argument too many", {}});
        }
        flag_before = flag_before || flag;
    }
}

// Without the program's name. CLI11 takes the word after "--flag=" as its value, so an empty value becomes a word of
// its own.
std::vector<std::string> words_of(std::span<const char* const> given)
{
    std::vector<std::string> words;
    for (const std::string_view word : given.subspan(std::min<std::size_t>(1, given.size()))) {
        const bool empty_value = word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
        words.emplace_back(empty_value ? word.substr(0, word.size() - 1) : word);
        if (empty_value) {
            words.emplace_back();
        }
    }
    return words;
}

class CommandLine {
public:
    CommandLine()
    {
        petrel_.footer(std::string{kExamples} + kExitCodes);
        petrel_.get_formatter()->column_width(34);
        petrel_.add_flag("--version", version_, "The version of petrel");
        petrel_.require_subcommand(0, 1);
        petrel_.allow_extras();
        for (auto* command : petrel_.get_subcommands({})) {
            command->allow_extras();
        }
    }

    Parsed<Request> parse(int argc, const char* const* argv)
    {
        words_ = words_of({argv, static_cast<std::size_t>(argc)});
        try {
            petrel_.parse(std::vector<std::string>{words_.rbegin(), words_.rend()});  // CLI11 expects reverse order
        } catch (const CLI::CallForHelp&) {
            if (names_unknown_command()) {
                return request();
            }
            auto text = petrel_.help();  // of the subcommand, if there is one
            text.erase(text.find_last_not_of('\n') + 1);
            return Request{Answer{text + '\n'}};
        } catch (const CLI::ParseError& error) {
            return tl::unexpected(std::vector{Complaint{{}, 0, 0, error.what(), {}}});
        }
        return request();
    }

private:
    Parsed<Request> request() const
    {
        const auto chosen = petrel_.get_subcommands();
        if (chosen.empty()) {
            return without_command();
        }
        std::vector<Complaint> complaints;
        complain_unknown_flags(petrel_, complaints);
        complain_unknown_flags(*chosen.front(), complaints);
        if (chosen.front() == replay_.app) {
            return replay_.request(std::move(complaints), follows_unknown_flag(replay_.options.trace));
        }
        if (chosen.front() == link_.app) {
            for (const auto* command : link_.app->get_subcommands()) {
                complain_unknown_flags(*command, complaints);
            }
            return link_.request(std::move(complaints));
        }
        if (chosen.front() == lab_.app) {
            return nested_request(lab_, std::move(complaints));
        }
        if (chosen.front() == config_.app) {
            return nested_request(config_, std::move(complaints));
        }
        if (control_.has(chosen.front())) {
            return flat(control_.request(chosen.front(), std::move(complaints)));
        }
        if (!complaints.empty()) {
            return tl::unexpected(std::move(complaints));
        }
        if (chosen.front() == agent_.app) {
            return Request{agent_.request()};
        }
        if (chosen.front() == hand_back_.app) {
            return Request{hand_back_.request()};
        }
        return chosen.front() == demo_.app ? Request{demo_.options} : Request{policies_.options};
    }

    // "petrel nosuch", "petrel lab nosuch".
    bool names_unknown_command() const
    {
        const CLI::App* group = &petrel_;
        while (!group->get_subcommands().empty()) {
            group = group->get_subcommands().front();
        }
        const auto words = group->remaining();
        return !group->get_subcommands([](const CLI::App*) { return true; }).empty() &&
               std::any_of(words.begin(), words.end(), [](const auto& word) { return !word.starts_with('-'); });
    }

    // The request of a command that has subcommands.
    template <class Arguments>
    static Parsed<Request> nested_request(const Arguments& arguments, std::vector<Complaint> complaints)
    {
        for (const auto* command : arguments.app->get_subcommands()) {
            complain_unknown_flags(*command, complaints);
        }
        return flat(arguments.request(std::move(complaints)));
    }

    // Converts a variant of a few requests to the variant of all requests.
    template <class OneOfSome>
    static Parsed<Request> flat(Parsed<OneOfSome> request)
    {
        if (!request) {
            return tl::unexpected(std::move(request.error()));
        }
        return std::visit([](auto& options) { return Request{std::move(options)}; }, *request);
    }

    // "--bogus 7 trace.csv": the parser took 7 for the trace.
    bool follows_unknown_flag(const std::string& word) const
    {
        const auto unknown = replay_.app->remaining();
        const auto at = std::adjacent_find(words_.begin(), words_.end(), [&](const auto& before, const auto& after) {
            return after == word && std::find(unknown.begin(), unknown.end(), before) != unknown.end();
        });
        return at != words_.end();
    }

    Parsed<Request> without_command() const
    {
        if (version_) {
            return Request{Answer{"petrel " PETREL_VERSION "\n"}};
        }
        std::vector<std::string> commands;
        for (const auto* command : petrel_.get_subcommands([](const CLI::App*) { return true; })) {
            commands.push_back(command->get_name());
        }
        std::vector<Complaint> complaints;
        complain_unknown_flags(petrel_, complaints);
        const auto words = petrel_.remaining();
        const auto word = std::find_if(words.begin(), words.end(), [](const auto& w) { return !w.starts_with('-'); });
        if (word != words.end()) {
            const std::vector<std::string_view> known{commands.begin(), commands.end()};
            complaints = {{"petrel", 0, 0, *word, "a command, " + instead_of(*word, known)}};
        } else if (complaints.empty()) {
            complaints = {{{}, 0, 0, fmt::format("a command is wanted: {}", fmt::join(commands, ", ")), {}}};
        }
        return tl::unexpected(std::move(complaints));
    }

    // Subcommands inherit the help flag that exists when they are created.
    struct Top : CLI::App {
        Top() : CLI::App("Storm watch for lossless Ethernet fabrics.", "petrel")
        {
            set_help_flag("-h,--help", "This help");
        }
    };

    Top petrel_;
    ReplayCommand replay_{petrel_};
    LabArguments lab_{petrel_};
    DemoCommand demo_{petrel_};
    PoliciesCommand policies_{petrel_};
    LinkCommand link_{petrel_};
    AgentArguments agent_{petrel_};
    HandBackArguments hand_back_{petrel_};
    ConfigArguments config_{petrel_};
    ControlArguments control_{petrel_};
    bool version_{};
    std::vector<std::string> words_;
};

}  // namespace

Parsed<Request> parse_command_line(int argc, const char* const* argv) { return CommandLine{}.parse(argc, argv); }

}  // namespace petrel::cli
