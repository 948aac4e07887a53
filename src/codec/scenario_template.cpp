#include "codec/scenario_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/complaint_text.hpp"
#include "codec/toml_text.hpp"

namespace petrel::codec {

namespace {

constexpr std::string_view kOpen = "${";

void read_parameters(TomlText& toml, const toml::table& top, Settings& into)
{
    const auto* node = top.get("parameters");
    if (node == nullptr) {
        return;
    }
    if (!node->is_table()) {
        return toml.wrong(*node, "a table [parameters]");
    }
    for (const auto& [key, value] : *node->as_table()) {
        if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
            toml.wrong(value, "text, a number, true or false");
            continue;
        }
        auto text = shown(value);
        if (!printable(text) || text.find_first_of("\"\\$") != std::string::npos) {
            toml.wrong(value, "a value without quotes, backslashes, dollars and control characters");
        }
        into[std::string{key.str()}] = std::move(text);
    }
}

bool is_literal(std::string_view value)
{
    if (value == "true" || value == "false") {
        return true;
    }
    const auto digits = value.substr(value.starts_with('-') || value.starts_with('+') ? 1 : 0);
    const auto dot = digits.find('.');
    const auto whole = digits.substr(0, dot);
    const auto all_digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    // A number with a leading zero is none in TOML.
    return all_digits(whole) && (whole.size() == 1 || whole.front() != '0') &&
           (dot == std::string_view::npos || all_digits(digits.substr(dot + 1)));
}

class Filling {
public:
    Filling(ComplaintList& complaints, const Settings& values) : complaints_(complaints), values_(values) {}

    std::string line(std::string_view line, std::uint32_t number)
    {
        std::string text;
        for (std::size_t at = 0; at < line.size();) {
            const auto open = std::min(line.find(kOpen, at), line.size());
            text += line.substr(at, open - at);
            if (open == line.size()) {
                break;
            }
            const auto close = line.find('}', open);
            const auto name = std::string{line.substr(open + kOpen.size(), close - open - kOpen.size())};
            const Place place{number, static_cast<std::uint32_t>(open + 1)};
            const auto value = values_.find(name);
            if (close == std::string_view::npos || value == values_.end()) {
                complaints_.add(place, name, fmt::format("a parameter, {}", instead_of(name, known())));
                return std::string{line};
            }
            at = close + 1;
            const bool alone = text.ends_with('"') && at < line.size() && line[at] == '"';
            if (alone && is_literal(value->second)) {
                text.pop_back();
                ++at;
            }
            text += value->second;
        }
        return text;
    }

private:
    std::vector<std::string_view> known() const
    {
        std::vector<std::string_view> names;
        for (const auto& [name, value] : values_) {
            names.push_back(name);
        }
        return names;
    }

    ComplaintList& complaints_;
    const Settings& values_;
};

}  // namespace

Parsed<Settings> scenario_parameters(std::string_view text, std::string_view file)
{
    TomlText toml{file};
    Settings found;
    toml.parse(text, [&](const toml::table& top) { read_parameters(toml, top, found); });
    if (!toml.complaints().empty()) {
        return tl::make_unexpected(std::move(toml.complaints()).take());
    }
    return found;
}

Parsed<std::string> fill_in(std::string_view text, std::string_view file, const Settings& settings)
{
    auto values = scenario_parameters(text, file);
    if (!values) {
        return tl::make_unexpected(std::move(values.error()));
    }
    ComplaintList complaints{file};
    std::vector<std::string_view> known;
    for (const auto& [name, value] : *values) {
        known.push_back(name);
    }
    for (const auto& [name, value] : settings) {
        if (!values->contains(name)) {
            complaints.add({}, name,
                           known.empty() ? "nothing: the scenario has no [parameters]"
                                         : fmt::format("a parameter, {}", instead_of(name, known)));
        } else if (!printable(value) || value.find_first_of("\"\\$") != std::string::npos) {
            complaints.add({}, value, fmt::format("a value for {} without quotes, backslashes and dollars", name));
        }
    }
    for (const auto& [name, value] : settings) {
        if (values->contains(name)) {
            (*values)[name] = value;
        }
    }
    Filling filling{complaints, *values};
    std::string filled;
    std::uint32_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const auto end = std::min(text.find('\n', at), text.size());
        const auto line = text.substr(at, end - at);
        // What a comment says of ${names} is nobody's business.
        filled += line.starts_with('#') ? std::string{line} : filling.line(line, number);
        filled += end < text.size() ? "\n" : "";
        at = end + 1;
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    return filled;
}

}  // namespace petrel::codec
