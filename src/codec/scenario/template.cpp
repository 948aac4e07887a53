#include "codec/scenario/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/complaint_text.hpp"
#include "codec/toml_text.hpp"

namespace petrel::codec {

namespace {

constexpr std::string_view kOpen = "${";

std::vector<std::string_view> names_of(const Settings& settings)
{
    std::vector<std::string_view> names;
    for (const auto& [name, value] : settings) {
        names.push_back(name);
    }
    return names;
}

bool is_setting(std::string_view text) { return printable(text) && text.find_first_of("\"\\$") == text.npos; }

std::string read_value(TomlText& toml, const toml::node& value)
{
    if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
        toml.wrong(value, "text, a number, true or false");
        return {};
    }
    auto text = shown(value);
    if (!is_setting(text)) {
        toml.wrong(value, "a value without quotes, backslashes, dollars and control characters");
    }
    return text;
}

// Adds a complaint about each name in [full] and [sweep] that is not in [parameters].
class TemplateReader {
public:
    TemplateReader(TomlText& toml, const toml::table& top) : toml_(toml), top_(top) {}

    ScenarioTemplate read()
    {
        each("parameters", [&](const toml::key& key, const toml::node& value) {
            found_.parameters[std::string{key.str()}] = read_value(toml_, value);
        });
        each("full", [&](const toml::key& key, const toml::node& value) {
            known(key);
            found_.full[std::string{key.str()}] = read_value(toml_, value);
        });
        each("sweep", [&](const toml::key& key, const toml::node& value) {
            known(key);
            const auto* list = value.as_array();
            if (list == nullptr || list->empty()) {
                return toml_.wrong(value, "a list of values");
            }
            Sweep sweep{std::string{key.str()}, {}};
            for (const auto& one : *list) {
                sweep.values.push_back(read_value(toml_, one));
            }
            found_.sweeps.push_back(std::move(sweep));
        });
        return std::move(found_);
    }

private:
    template <class Read>
    void each(std::string_view name, const Read& read)
    {
        const auto* node = top_.get(name);
        if (node == nullptr) {
            return;
        }
        if (!node->is_table()) {
            return toml_.wrong(*node, fmt::format("a table [{}]", name));
        }
        for (const auto& [key, value] : *node->as_table()) {
            read(key, value);
        }
    }

    void known(const toml::key& key)
    {
        if (!found_.parameters.contains(std::string{key.str()})) {
            toml_.unknown(key, names_of(found_.parameters));
        }
    }

    TomlText& toml_;
    const toml::table& top_;
    ScenarioTemplate found_;
};

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
    // TOML does not allow numbers with a leading zero.
    return all_digits(whole) && (whole.size() == 1 || whole.front() != '0') &&
           (dot == std::string_view::npos || all_digits(digits.substr(dot + 1)));
}

std::string instead_of_parameter(std::string_view name, const Settings& parameters)
{
    return parameters.empty() ? "nothing: the scenario has no [parameters]"
                              : fmt::format("a parameter, {}", instead_of(name, names_of(parameters)));
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
                if (unknown_.insert(name).second) {
                    complaints_.add(place, name, instead_of_parameter(name, values_));
                }
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
    ComplaintList& complaints_;
    const Settings& values_;
    std::set<std::string> unknown_;  // each is one complaint, however often it is used
};

}  // namespace

Parsed<ScenarioTemplate> read_template(std::string_view text, std::string_view file)
{
    TomlText toml{file};
    ScenarioTemplate found;
    toml.parse(text, [&](const toml::table& top) { found = TemplateReader{toml, top}.read(); });
    if (!toml.complaints().empty()) {
        return tl::make_unexpected(std::move(toml.complaints()).take());
    }
    return found;
}

Parsed<std::string> fill_in(std::string_view text, std::string_view file, const Settings& settings)
{
    const auto found = read_template(text, file);
    if (!found) {
        return tl::make_unexpected(found.error());
    }
    auto values = found->parameters;
    ComplaintList complaints{file};
    for (const auto& [name, value] : settings) {
        if (!values.contains(name)) {
            complaints.add({}, name, instead_of_parameter(name, values));
        } else if (!is_setting(value)) {
            complaints.add({}, value, fmt::format("a value for {} without quotes, backslashes and dollars", name));
        } else {
            values[name] = value;
        }
    }
    Filling filling{complaints, values};
    std::string filled;
    std::uint32_t number = 1;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const auto end = std::min(text.find('\n', at), text.size());
        const auto line = text.substr(at, end - at);
        // Comments may contain ${names}; they are not replaced.
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
