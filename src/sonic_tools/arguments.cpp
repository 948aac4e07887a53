#include "sonic_tools/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "sonic_tools/help_text.hpp"
#include "sonic_tools/values.hpp"

namespace petrel::sonic_tools {

namespace {

constexpr std::string_view kHelp = "--help";
constexpr std::string_view kVersion = "--version";

}  // namespace

std::optional<std::string_view> Given::text(std::string_view name) const
{
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.empty()) {
        return std::nullopt;
    }
    return found->second.back();
}

std::optional<std::int64_t> Given::number(std::string_view name) const
{
    const auto value = text(name);
    return value ? whole_number(*value) : std::nullopt;
}

std::vector<std::string> Given::values(std::string_view name) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>{} : found->second;
}

// Parses one command line. Errors are thrown; parse() catches them.
class Reader {
public:
    Reader(std::string_view program, std::span<const std::string> words) : path_(program), words_(words) {}

    Invocation read(const Command& command)
    {
        command_ = &command;
        std::vector<std::string> positional;
        read_words(positional);
        if (given_.has(kHelp)) {
            throw Stop{{help_text(command, path_), {}, 0}};
        }
        if (given_.has(kVersion)) {
            throw Stop{
                {fmt::format("{}{} {}\n", path_, command.short_options ? "" : ", version", command.version), {}, 0}};
        }
        if (!command.commands.empty()) {
            return read_command_of(command);
        }
        assign(positional);
        check();
        return {&command, path_, std::move(given_)};
    }

private:
    [[noreturn]] void refuse(std::string_view complaint) const { throw Stop{usage_error(*command_, path_, complaint)}; }

    [[noreturn]] void refuse_option(std::string_view name) const
    {
        std::vector<std::string_view> names{kHelp};
        for (const auto* list : {&command_->options, &common_options()}) {
            for (const auto& option : *list) {
                names.push_back(long_name(option));
            }
        }
        const auto near = nearest(name, names);
        refuse(fmt::format("No such option: {}{}", excerpt(name),
                           near.empty() ? "" : fmt::format(" Did you mean {}?", near)));
    }

    bool at_end() const { return words_.empty(); }

    const std::string& next()
    {
        const auto& word = words_.front();
        words_ = words_.subspan(1);
        return word;
    }

    // Reads options and positional words. If the command has subcommands, it stops at the first of them.
    void read_words(std::vector<std::string>& positional)
    {
        while (!at_end()) {
            const auto& word = words_.front();
            const bool option = word.size() > 1 && word.front() == '-';
            if (!option && !command_->commands.empty()) {
                return;
            }
            next();
            if (word == "--") {
                positional.insert(positional.end(), words_.begin(), words_.end());
                words_ = command_->commands.empty() ? words_.last(0) : words_;
                return;
            }
            if (option) {
                read_option(word);
            } else {
                positional.push_back(word);
            }
        }
    }

    Invocation read_command_of(const Command& group)
    {
        if (at_end()) {
            throw Stop{{help_text(group, path_), {}, 0}};
        }
        const auto& name = next();
        const auto found =
            std::find_if(group.commands.begin(), group.commands.end(), [&](const auto& c) { return c.name == name; });
        if (found == group.commands.end()) {
            std::vector<std::string_view> names;
            std::transform(group.commands.begin(), group.commands.end(), std::back_inserter(names),
                           [](const Command& one) { return one.name; });
            const auto near = nearest(name, names);
            refuse(fmt::format("No such command {}.{}", sonic_tools::quoted(name),
                               near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
        }
        path_ += fmt::format(" {}", name);
        return read(*found);
    }

    const Option* find_option(std::string_view name) const
    {
        static const Option help{{kHelp}, Flag{}, {}};
        static const Option version{{kVersion}, Flag{}, {}};
        if (command_->short_options && (name == "-h" || name == "-v")) {
            return name == "-h" ? &help : &version;
        }
        for (const auto* list : {&command_->options, &common_options()}) {
            for (const auto& option : *list) {
                if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
                    return &option;
                }
            }
        }
        if (name == kVersion && !command_->version.empty()) {
            return &version;
        }
        return name == kHelp ? &help : nullptr;
    }

    // Tries the whole word as an option first ("--action=drop", "-vv"), then its letters, of which the last may take
    // the rest as its value ("-ea", "-adrop").
    void read_option(std::string_view word)
    {
        const auto equals = word.find('=');
        const auto name = word.substr(0, equals);
        const auto* option = name.size() > 2 ? find_option(name) : nullptr;
        if (option != nullptr) {
            const bool has_value = equals != std::string_view::npos;
            if (has_value && std::holds_alternative<Flag>(option->kind)) {
                refuse(fmt::format("Option '{}' does not take a value.", name));
            }
            put(*option, name, has_value ? std::optional{word.substr(equals + 1)} : std::nullopt);
            return;
        }
        if (word.starts_with("--")) {
            refuse_option(name);
        }
        read_letters(word);
    }

    void read_letters(std::string_view word)
    {
        for (std::size_t i = 1; i < word.size(); ++i) {
            const auto name = fmt::format("-{}", word[i]);
            const auto* option = find_option(name);
            if (option == nullptr) {
                refuse(fmt::format("No such option: {}", excerpt(name)));
            }
            if (!std::holds_alternative<Flag>(option->kind)) {
                const auto rest = word.substr(i + 1);
                put(*option, name, rest.empty() ? std::nullopt : std::optional{rest});
                return;
            }
            put(*option, name, std::nullopt);
        }
    }

    void put(const Option& option, std::string_view name, std::optional<std::string_view> value)
    {
        auto& values = given_.values_[long_name(option)];
        if (!std::holds_alternative<Flag>(option.kind)) {
            if (!value && at_end()) {
                refuse(fmt::format("Option '{}' requires an argument.", name));
            }
            values.emplace_back(value ? *value : std::string_view{next()});
        }
        if (std::find(order_.begin(), order_.end(), &option) == order_.end()) {
            order_.push_back(&option);
        }
    }

    // Required arguments get a word each; an argument of any number gets the words between them.
    void assign(std::vector<std::string> positional)
    {
        std::size_t wanted = 0;  // words for required arguments that come later
        for (const auto& argument : command_->arguments) {
            wanted += argument.count == Argument::Count::one ? 1 : 0;
        }
        auto word = positional.begin();
        for (const auto& argument : command_->arguments) {
            auto left = static_cast<std::size_t>(positional.end() - word);
            if (argument.count == Argument::Count::one) {
                --wanted;
                left = std::min<std::size_t>(left, 1);
            } else {
                left -= std::min(left, wanted);
                left = argument.count == Argument::Count::any ? left : std::min<std::size_t>(left, 1);
            }
            const auto end = word + static_cast<std::ptrdiff_t>(left);
            if (left != 0) {
                given_.values_[argument.name].assign(word, end);
            }
            word = end;
        }
        extra_.assign(word, positional.end());
    }

    // Checks the options in the order in which they were given, then the arguments, and reports the first error.
    void check()
    {
        for (const auto* option : order_) {
            check_values(given_.values_[long_name(*option)], option->kind, quoted_list(option->names, " / "));
        }
        for (const auto& argument : command_->arguments) {
            const auto found = given_.values_.find(argument.name);
            if (found != given_.values_.end()) {
                check_values(found->second, argument.kind, fmt::format("'{}'", shown(argument)));
            } else if (argument.count == Argument::Count::one) {
                const auto* choice = std::get_if<Choice>(&argument.kind);
                refuse(fmt::format(
                    "Missing argument '{}'.{}", shown(argument),
                    choice == nullptr ? "" : fmt::format(" Choose from:\n\t{}", fmt::join(choice->of, ",\n\t"))));
            }
        }
        if (!extra_.empty()) {
            refuse(fmt::format("Got unexpected extra argument{} ({})", extra_.size() > 1 ? "s" : "",
                               excerpt(fmt::format("{}", fmt::join(extra_, " ")))));
        }
    }

    // If an option was given several times, the last value counts.
    void check_values(const std::vector<std::string>& values, const Kind& kind, const std::string& argument) const
    {
        if (values.empty()) {
            return;
        }
        const auto problem = problem_with(values.back(), kind);
        if (!problem.empty()) {
            refuse(fmt::format("Invalid value for {}: {}", argument, problem));
        }
    }

    const Command* command_{};
    std::string path_;
    std::span<const std::string> words_;
    std::vector<const Option*> order_;
    std::vector<std::string> extra_;
    Given given_;
};

tl::expected<Invocation, Outcome> parse(const Command& tool, std::string_view program,
                                        std::span<const std::string> words)
{
    try {
        return Reader{program, words}.read(tool);
    } catch (const Stop& stop) {
        return tl::unexpected(stop.outcome);
    }
}

Outcome usage_error(const Command& command, std::string_view path, std::string_view complaint)
{
    return {
        {}, fmt::format("{}\nTry '{} --help' for help.\n\nError: {}\n", usage_line(command, path), path, complaint), 2};
}

}  // namespace petrel::sonic_tools
