#include "sonic_tools/help_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace petrel::sonic_tools {
namespace {

constexpr std::size_t kWidth = 78;
constexpr std::size_t kWidestLeft = 30;  // after a wider left column, the explanation is on the next line

std::vector<std::string> wrapped(std::string_view text, std::size_t width)
{
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (word.empty()) {  // two blanks in a row: keep both
            lines.back() += ' ';
            continue;
        }
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
            lines.back().erase(lines.back().find_last_not_of(' ') + 1);
            lines.emplace_back();
        }
        lines.back() += lines.back().empty() ? std::string{word} : fmt::format(" {}", word);
    }
    return lines;
}

std::string paragraphs(std::string_view about)
{
    std::string text;
    while (!about.empty()) {
        const auto paragraph = about.substr(0, about.find('\n'));
        about.remove_prefix(std::min(about.size(), paragraph.size() + 1));
        text += '\n';
        for (const auto& line : wrapped(paragraph, kWidth - 2)) {
            text += fmt::format("  {}\n", line);
        }
    }
    return text;
}

std::string_view first_sentence(std::string_view about)
{
    const auto paragraph = about.substr(0, about.find('\n'));
    const auto end = paragraph.find(". ");
    return end == std::string_view::npos ? paragraph : paragraph.substr(0, end + 1);
}

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string section(std::string_view title, const Rows& rows)
{
    std::size_t left = 0;
    for (const auto& row : rows) {
        left = std::max(left, row.first.size());
    }
    left = std::min(left, kWidestLeft) + 2;
    auto text = fmt::format("\n{}:\n", title);
    for (const auto& [name, about] : rows) {
        const bool own_line = name.size() > left - 2;
        std::string indent(left + 2, ' ');
        text += own_line ? fmt::format("  {}\n{}", name, indent) : fmt::format("  {:<{}}", name, left);
        const auto lines = wrapped(about, kWidth - left - 2);
        text += fmt::format("{}\n", fmt::join(lines, "\n" + indent));
    }
    return text;
}

std::string value_text(const Kind& kind)
{
    if (const auto* choice = std::get_if<Choice>(&kind)) {
        return fmt::format(" [{}]", fmt::join(choice->of, "|"));
    }
    if (std::holds_alternative<Range>(kind)) {
        return " INTEGER RANGE";
    }
    return std::holds_alternative<Text>(kind) ? " TEXT" : "";
}

std::pair<std::string, std::string> row_of(const Option& option)
{
    auto names = option.names;
    std::sort(names.begin(), names.end(), [](auto a, auto b) { return a.size() < b.size(); });
    std::string about{option.about};
    if (const auto* range = std::get_if<Range>(&option.kind)) {
        about += fmt::format("  [{}]", range_text(*range));
    }
    return {fmt::format("{}{}", fmt::join(names, ", "), value_text(option.kind)), about};
}

}  // namespace

std::string_view long_name(const Option& option)
{
    return *std::max_element(option.names.begin(), option.names.end(),
                             [](auto a, auto b) { return a.size() < b.size(); });
}

std::string shown(const Argument& argument)
{
    const auto* choice = std::get_if<Choice>(&argument.kind);
    return choice != nullptr ? fmt::format("{{{}}}", fmt::join(choice->of, "|")) : std::string{argument.name};
}

std::string range_text(const Range& range)
{
    if (range.least && range.most) {
        return fmt::format("{}<=x<={}", *range.least, *range.most);
    }
    return range.least ? fmt::format("x>={}", *range.least) : fmt::format("x<={}", range.most.value_or(0));
}

std::string usage_line(const Command& command, std::string_view path)
{
    auto line = fmt::format("Usage: {} [OPTIONS]", path);
    for (const auto& argument : command.arguments) {
        switch (argument.count) {
        case Argument::Count::one: line += fmt::format(" {}", shown(argument)); break;
        case Argument::Count::at_most_one: line += fmt::format(" [{}]", shown(argument)); break;
        case Argument::Count::any: line += fmt::format(" [{}]...", shown(argument)); break;
        }
    }
    return command.commands.empty() ? line : line + " COMMAND [ARGS]...";
}

std::string help_text(const Command& command, std::string_view path)
{
    Rows options;
    for (const auto* list : {&command.options, &common_options()}) {
        std::transform(list->begin(), list->end(), std::back_inserter(options), row_of);
    }
    if (!command.version.empty()) {
        options.emplace_back(command.short_options ? "-v, --version" : "--version", "Show the version and exit.");
    }
    options.emplace_back(command.short_options ? "-h, --help" : "--help", "Show this text and exit.");
    Rows commands;
    for (const auto& one : command.commands) {
        commands.emplace_back(one.name, first_sentence(one.about));
    }
    std::sort(commands.begin(), commands.end());
    return fmt::format("{}\n{}{}{}", usage_line(command, path), paragraphs(command.about), section("Options", options),
                       commands.empty() ? "" : section("Commands", commands));
}

}  // namespace petrel::sonic_tools
