#include "cli/agent/command_line.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/complaint_text.hpp"
#include "cli/agent/agent_commands.hpp"
#include "cli/agent/arguments.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

constexpr auto kHelp = "help";

constexpr auto kExitCodes = "Exit codes: 0 ok, 1 failure or storm found, 2 usage or configuration, 3 unreachable,\n"
                            "4 permission, 5 expectation failed, 130 interrupted.";

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
            const auto sentence = word == "--manager" && app.get_parent() == nullptr
                                      ? "which one? petrel --manager URL COMMAND"
                                      : "no such flag" + hint;
            complaints.push_back({word, 0, 0, sentence, {}});
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

// "petrel --manager URL status" is "petrel status --manager URL".
std::vector<std::string> with_manager_last(std::vector<std::string> words)
{
    const std::ptrdiff_t count = words.empty()                             ? 0
                                 : words.front() == "--manager"            ? 2
                                 : words.front().starts_with("--manager=") ? 1
                                                                           : 0;
    if (std::ssize(words) > count) {
        std::rotate(words.begin(), words.begin() + count, words.end());
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

// The examples are written for petrel.
std::string examples_for(std::string_view program, std::string_view examples)
{
    constexpr std::string_view kBegin = "\n  petrel ";
    std::string text{examples};
    for (auto at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
        text.replace(at, kBegin.size(), fmt::format("\n  {} ", program));
    }
    return text;
}

// "help lab run" is "lab run --help".
std::vector<std::string> with_help_flag(std::vector<std::string> words)
{
    const bool flags = std::ranges::any_of(words, [](const auto& word) { return word.starts_with('-'); });
    if (!words.empty() && words.front() == kHelp && !flags) {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    return words;
}

// Replaces each group of empty lines by one.
std::string without_gaps(std::string text)
{
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) {
        text.erase(at, 1);
    }
    return text;
}

// Joins the lines of each paragraph. Headings, lists and examples keep their lines.
std::string with_whole_paragraphs(std::string_view text)
{
    constexpr std::string_view kUsage = "Usage: ";
    std::string all;
    std::string_view before;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        const auto plain = [&](std::string_view one) {
            return !one.empty() && one.front() != ' ' && !one.starts_with(kUsage);
        };
        if (!all.empty()) {
            all += plain(before) && plain(line) && !before.ends_with(':') ? ' ' : '\n';
        }
        all += line;
        before = line;
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return all + '\n';
}

class CommandLine {
public:
    explicit CommandLine(const Program& program)
        : program_(program), app_(std::string{program.about}, std::string{program.name})
    {
        // Commands inherit these settings when they are added. The footer is the top level's own.
        app_.set_help_flag("-h,--help", "This help");
        app_.get_formatter()->column_width(34);
        app_.require_subcommand(0, 1);
        app_.allow_extras();
        for (const auto& command : program.commands()) {
            add(command);
        }
        app_.add_subcommand(kHelp, "This help, or that of a command, e.g. help status.")
            ->group(kGeneral)
            ->add_option("COMMAND", help_of_, "The command")
            ->type_name("");
        app_.add_flag("--version", version_, fmt::format("The version of {}", program.name));
        app_.footer(std::string{program.examples} + kExitCodes);
    }

    Parsed<ExitCode> run(Call call)
    {
        try {
            // CLI11 expects reverse order.
            app_.parse(std::vector<std::string>{call.words.rbegin(), call.words.rend()});
        } catch (const CLI::CallForHelp&) {
            if (!names_unknown_command()) {
                auto text = without_gaps(app_.help());  // help of the command, or of the program without one
                text.erase(text.find_last_not_of('\n') + 1);
                const auto width = stdout_columns();
                return finish(width == kAnyWidth ? text + '\n' : wrapped(with_whole_paragraphs(text), width, 0),
                              ExitCode::ok);
            }
        } catch (const CLI::ParseError& error) {
            return tl::unexpected(std::vector{Complaint{{}, 0, 0, error.what(), {}}});
        }
        complain_unknown_flags(app_, call.problems);
        const CLI::App* chosen = &app_;
        while (!chosen->get_subcommands().empty()) {
            chosen = chosen->get_subcommands().front();
            complain_unknown_flags(*chosen, call.problems);
        }
        if (chosen == &app_) {
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
        auto& above =
            blank == std::string_view::npos ? app_ : *app_.get_subcommand(std::string{command.name.substr(0, blank)});
        auto& app = *above.add_subcommand(std::string{command.name.substr(blank + 1)}, std::string{command.about})
                         ->group(std::string{command.group});
        if (!command.examples.empty()) {
            app.footer(examples_for(program_.name, command.examples));
        }
        if (command.flags) {
            handlers_.emplace(&app, command.flags(app));
        }
    }

    // "petrel nosuch", "petrel lab nosuch".
    bool names_unknown_command() const
    {
        const CLI::App* group = &app_;
        while (!group->get_subcommands().empty()) {
            group = group->get_subcommands().front();
        }
        const auto words = group->remaining();
        return !names_below(*group).empty() &&
               std::any_of(words.begin(), words.end(), [](const auto& word) { return !word.starts_with('-'); });
    }

    // "petrel lab", "petrel lab nosuch".
    Complaint without_command_below(const CLI::App& group) const
    {
        const auto words = group.remaining();
        return no_such_command(fmt::format("{} {}", program_.name, group.get_name()),
                               words.empty() ? std::string{} : words.front(), names_below(group));
    }

    Parsed<ExitCode> without_command(std::vector<Complaint> problems) const
    {
        if (version_) {
            return finish(fmt::format("{} " PETREL_VERSION "\n", program_.name), ExitCode::ok);
        }
        const auto words = app_.remaining();
        const auto word = std::find_if(words.begin(), words.end(), [](const auto& w) { return !w.starts_with('-'); });
        if (word != words.end()) {
            problems = {no_such_command(std::string{program_.name}, *word, names_below(app_))};
        } else if (problems.empty()) {
            problems = {
                {{}, 0, 0, fmt::format("a command is missing; allowed: {}", fmt::join(names_below(app_), ", ")), {}}};
        }
        return tl::unexpected(std::move(problems));
    }

    const Program& program_;
    CLI::App app_;
    bool version_{};
    std::vector<std::string> help_of_;  // only for the help of `help`: with_help_flag() has replaced the words
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

Parsed<ExitCode> run_command_line(const Program& program, int argc, const char* const* argv, twin::Peers* peers,
                                  const AgentExtras* extras)
{
    return CommandLine{program}.run(
        {with_help_flag(with_manager_last(words_of({argv, static_cast<std::size_t>(argc)}))),
         {},
         peers,
         extras,
         &program.parts});
}

ExitCode refuse_command_line(const std::vector<Complaint>& problems)
{
    const auto refused = refuse(problems);
    print_stderr("Run with --help for more information.");
    return refused;
}

}  // namespace petrel::cli
