#include "sonic_tools/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/complaint_text.hpp"
#include "sonic_tools/help_text.hpp"

namespace petrel::sonic_tools {
namespace {

std::string problem_with(std::string_view word, const Choice& choice)
{
    if (std::find(choice.of.begin(), choice.of.end(), word) != choice.of.end()) {
        return {};
    }
    return fmt::format("{} is not {}{}.", quoted(word), choice.of.size() > 1 ? "one of " : "",
                       quoted_list(choice.of, ", "));
}

// Removes the sign of "+400". "+-400" and "+" alone are no numbers.
std::string_view without_plus(std::string_view word)
{
    const bool plus = word.size() > 1 && word[0] == '+' && word[1] >= '0' && word[1] <= '9';
    return word.substr(plus ? 1 : 0);
}

std::string problem_with(std::string_view word, const Range& range)
{
    const auto digits = without_plus(word);
    std::int64_t number{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
        return fmt::format("{} is not a valid integer range.", quoted(word));
    }
    if (error == std::errc::result_out_of_range) {
        return fmt::format("{} is not in the range {}.", excerpt(digits), range_text(range));
    }
    const bool fits = number >= range.least.value_or(number) && number <= range.most.value_or(number);
    return fits ? "" : fmt::format("{} is not in the range {}.", number, range_text(range));
}

std::string problem_with(std::string_view, const Text&) { return {}; }
std::string problem_with(std::string_view, const Flag&) { return {}; }

}  // namespace

std::string quoted(std::string_view text)
{
    const bool single = text.find('\'') == std::string_view::npos || text.find('"') != std::string_view::npos;
    const char mark = single ? '\'' : '"';
    std::string result;
    for (const char c : shortened(text, kLongestExcerpt)) {
        result += c == mark || c == '\\' ? fmt::format("\\{}", c) : std::string{c};
    }
    return fmt::format("{}{}{}", mark, escaped(result), mark);
}

std::string quoted_list(const std::vector<std::string_view>& texts, std::string_view between)
{
    std::string list;
    for (const auto text : texts) {
        list += fmt::format("{}{}", list.empty() ? "" : between, quoted(text));
    }
    return list;
}

std::optional<std::int64_t> whole_number(std::string_view word)
{
    const auto digits = without_plus(word);
    std::int64_t number{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() ? std::optional{number} : std::nullopt;
}

std::string problem_with(std::string_view word, const Kind& kind)
{
    return std::visit([&](const auto& allowed) { return problem_with(word, allowed); }, kind);
}

}  // namespace petrel::sonic_tools
