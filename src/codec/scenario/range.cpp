#include "codec/scenario/range.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "codec/scenario/values.hpp"

namespace petrel::codec {

using scenario::Range;
using scenario::Unit;

namespace {

std::optional<double> plain_number(std::string_view text)
{
    double value{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end && std::isfinite(value) ? std::optional{value} : std::nullopt;
}

std::optional<double> number_in(std::string_view text, Unit unit)
{
    const auto exact = [](std::optional<std::uint64_t> value) {
        return value ? std::optional{static_cast<double>(*value)} : std::nullopt;
    };
    switch (unit) {
    case Unit::count: return plain_number(text);
    case Unit::time: return exact(time_in_ps(text));
    case Unit::rate: return exact(rate_in_bps(text));
    case Unit::share:
        if (!text.ends_with('%')) {
            return std::nullopt;
        }
        const auto percent = plain_number(text.substr(0, text.size() - 1));
        return percent ? std::optional{*percent / 100} : std::nullopt;
    }
    return std::nullopt;
}

std::string_view without_blanks(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::optional<Range> range_in(std::string_view text, Unit unit)
{
    const auto number = [&](std::string_view part) { return number_in(without_blanks(part), unit); };
    text = without_blanks(text);
    if (text.starts_with(">=") || text.starts_with("<=")) {
        const auto bound = number(text.substr(2));
        if (!bound) {
            return std::nullopt;
        }
        Range range;
        (text.front() == '>' ? range.least : range.most) = *bound;
        return range;
    }
    const auto dots = text.find("..");
    const auto least = number(text.substr(0, dots));
    const auto most = dots == std::string_view::npos ? least : number(text.substr(dots + 2));
    if (!least || !most || *least > *most) {
        return std::nullopt;
    }
    return Range{*least, *most};
}

std::string_view allowed_range(Unit unit)
{
    switch (unit) {
    case Unit::count: return "a number, or a range such as \">= 1\", \"<= 3\" or \"2..4\"";
    case Unit::time: return "a time, or a range of times such as \"<= 20ms\" or \"400ms..600ms\"";
    case Unit::rate: return "a rate, or a range of rates such as \">= 95G\" or \"9G..10G\"";
    case Unit::share: return "a share, or a range of shares such as \"0%\", \"<= 5%\" or \"70%..100%\"";
    }
    return {};
}

}  // namespace petrel::codec
