#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/complaint_text.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "terminal/terminal.hpp"

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

std::vector<std::string> names_below(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

Complaint no_such_command(const std::string& above, const std::string& word, const std::vector<std::string>& commands)
{
    const std::vector<std::string_view> known{commands.begin(), commands.end()};
    return {above, 0, 0, word, "a command, " + instead_of(word, known)};
}

class CommandLine {
public:
    CommandLine()
    {
        // Commands inherit these settings when they are added. The footer is the top level's own.
        petrel_.set_help_flag("-h,--help", "This help");
        petrel_.get_formatter()->column_width(34);
        petrel_.require_subcommand(0, 1);
        petrel_.allow_extras();
        for (const auto& command : commands()) {
            add(command);
        }
        petrel_.add_flag("--version", version_, "The version of petrel");
        petrel_.footer(std::string{kExamples} + kExitCodes);
    }

    Parsed<ExitCode> run(Call call)
    {
        try {
            // CLI11 expects reverse order.
            petrel_.parse(std::vector<std::string>{call.words.rbegin(), call.words.rend()});
        } catch (const CLI::CallForHelp&) {
            if (!names_unknown_command()) {
                auto text = petrel_.help();  // help of the command, or of petrel without one
                text.erase(text.find_last_not_of('\n') + 1);
                return finish(text + '\n', ExitCode::ok);
            }
        } catch (const CLI::ParseError& error) {
            return tl::unexpected(std::vector{Complaint{{}, 0, 0, error.what(), {}}});
        }
        complain_unknown_flags(petrel_, call.problems);
        const CLI::App* chosen = &petrel_;
        while (!chosen->get_subcommands().empty()) {
            chosen = chosen->get_subcommands().front();
            complain_unknown_flags(*chosen, call.problems);
        }
        if (chosen == &petrel_) {
            return without_command(std::move(call.problems));
        }
        const auto handler = handlers_.find(chosen);
        if (handler == handlers_.end()) {
            return tl::unexpected(std::vector{without_command_below(*chosen)});
        }
        return handler->second(std::move(call));
    }

private:
    void add(const Command& command)
    {
        const auto blank = command.name.rfind(' ');  // "lab run"
        auto& above = blank == std::string_view::npos
                          ? petrel_
                          : *petrel_.get_subcommand(std::string{command.name.substr(0, blank)});
        auto& app = *above.add_subcommand(std::string{command.name.substr(blank + 1)}, std::string{command.about})
                         ->group(std::string{command.group});
        if (!command.examples.empty()) {
            app.footer(std::string{command.examples});
        }
        if (command.flags) {
            handlers_.emplace(&app, command.flags(app));
        }
    }

    // "petrel nosuch", "petrel lab nosuch".
    bool names_unknown_command() const
    {
        const CLI::App* group = &petrel_;
        while (!group->get_subcommands().empty()) {
            group = group->get_subcommands().front();
        }
        const auto words = group->remaining();
        return !names_below(*group).empty() &&
               std::any_of(words.begin(), words.end(), [](const auto& word) { return !word.starts_with('-'); });
    }

    // "petrel lab", "petrel lab nosuch".
    static Complaint without_command_below(const CLI::App& group)
    {
        const auto words = group.remaining();
        return no_such_command(fmt::format("petrel {}", group.get_name()),
                               words.empty() ? std::string{} : words.front(), names_below(group));
    }

    Parsed<ExitCode> without_command(std::vector<Complaint> problems) const
    {
        if (version_) {
            return finish("petrel " PETREL_VERSION "\n", ExitCode::ok);
        }
        const auto words = petrel_.remaining();
        const auto word = std::find_if(words.begin(), words.end(), [](const auto& w) { return !w.starts_with('-'); });
        if (word != words.end()) {
            problems = {no_such_command("petrel", *word, names_below(petrel_))};
        } else if (problems.empty()) {
            problems = {{{},
                         0,
                         0,
                         fmt::format("a command is missing; allowed: {}", fmt::join(names_below(petrel_), ", ")),
                         {}}};
        }
        return tl::unexpected(std::move(problems));
    }

    CLI::App petrel_{"Storm watch for lossless Ethernet fabrics.", "petrel"};
    bool version_{};
    std::map<const CLI::App*, Handler> handlers_;
};

}  // namespace

Handler handler(std::function<ExitCode(const Call&)> run, std::function<void(std::vector<Complaint>&)> check)
{
    return [run = std::move(run), check = std::move(check)](Call call) -> Parsed<ExitCode> {
        if (check) {
            check(call.problems);
        }
        if (!call.problems.empty()) {
            return tl::unexpected(std::move(call.problems));
        }
        return run(call);
    };
}

Parsed<ExitCode> run_command_line(int argc, const char* const* argv, twin::Peers* peers, const AgentExtras* extras)
{
    return CommandLine{}.run({words_of({argv, static_cast<std::size_t>(argc)}), {}, peers, extras});
}

}  // namespace petrel::cli
