#include "codec/toml_text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/complaint_text.hpp"

namespace petrel::codec {

namespace {

// The parser and its destructors recurse as deep as dotted names are nested. A name cannot span lines.
constexpr std::ptrdiff_t kMostDots = 128;

std::string_view line_of(std::string_view text, std::uint32_t number)
{
    for (; number > 1; --number) {
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    }
    return text.substr(0, text.find_first_of("\r\n"));
}

bool can_merge(const toml::node& one, const toml::node& other)
{
    return (one.is_table() && other.is_table()) || (one.is_array_of_tables() && other.is_array_of_tables());
}

// Adds the tables of a list, or the keys of a table, to another one. A key that both have stays as it is there.
void merge(toml::node& from, toml::node& to)
{
    if (auto* list = from.as_array()) {
        for (auto&& one : *list) {
            to.as_array()->push_back(std::move(one));
        }
        return;
    }
    for (auto&& [key, node] : *from.as_table()) {
        auto* there = to.as_table()->get(key);
        if (there == nullptr) {
            to.as_table()->insert(key, std::move(node));
        } else if (can_merge(node, *there)) {
            merge(node, *there);
        }
    }
}

// Gives the key at this place another name. If its table has that name already, only tables can join those.
bool rename(toml::table& table, const Place& at, std::string_view right)
{
    for (auto&& [key, node] : table) {
        if (place(key.source()) == at) {
            const std::string wrong{key.str()};
            auto* there = table.get(right);
            if (there != nullptr && !can_merge(node, *there)) {
                return false;
            }
            if (there != nullptr) {
                merge(node, *there);
            } else {
                table.insert(toml::key{right, key.source()}, std::move(node));
            }
            table.erase(wrong);
            return true;
        }
        if (auto* below = node.as_table(); below != nullptr && rename(*below, at, right)) {
            return true;
        }
        if (auto* list = node.as_array()) {
            for (auto&& one : *list) {
                if (auto* below = one.as_table(); below != nullptr && rename(*below, at, right)) {
                    return true;
                }
            }
        }
    }
    return false;
}

}  // namespace

Place place(const toml::source_region& region) { return {region.begin.line, region.begin.column, region.path}; }
Place place(const toml::node& node) { return place(node.source()); }

std::string shown(const toml::node& node)
{
    switch (node.type()) {
    case toml::node_type::string: return node.as_string()->get();
    case toml::node_type::integer: return fmt::format("{}", node.as_integer()->get());
    case toml::node_type::floating_point: return fmt::format("{:#}", node.as_floating_point()->get());
    case toml::node_type::boolean: return node.as_boolean()->get() ? "true" : "false";
    case toml::node_type::array: return "[...]";
    case toml::node_type::table: return {};  // the place suffices
    default: return "a date or time";
    }
}

void TomlText::parse(std::string_view text, const Read& read, std::string_view other_file, const Read& prepare)
{
    if (!is_shallow(text, other_file)) {
        return;
    }
    try {
        auto table = toml::parse(text, other_file);
        if (prepare) {
            prepare(table);
        }
        read_corrected(table, read);
    } catch (const toml::parse_error& error) {
        complaints_.add(place(error.source()), line_of(text, error.source().begin.line),
                        fmt::format("TOML ({})", error.description()));
    }
}

void TomlText::read_corrected(toml::table& table, const Read& read)
{
    constexpr int kMostTimes = 8;  // a corrected key may make further keys known
    const auto before = complaints_;
    std::vector<Misspelt> corrected;
    for (int times = 1;; ++times) {
        misspelt_.clear();
        read(table);
        if (times == kMostTimes) {
            return;
        }
        std::erase_if(misspelt_, [&](const Misspelt& one) { return !rename(table, one.at, one.right); });
        if (misspelt_.empty()) {
            return;
        }
        std::ranges::move(misspelt_, std::back_inserter(corrected));
        complaints_ = before;
        for (const auto& one : corrected) {
            complaints_.add(one.at, one.key, one.allowed);
        }
    }
}

bool TomlText::is_shallow(std::string_view text, std::string_view other_file)
{
    std::uint32_t number = 1;
    for (std::size_t at = 0; at <= text.size(); ++number) {
        const auto line = text.substr(at, text.find('\n', at) - at);
        if (std::count(line.begin(), line.end(), '.') > kMostDots) {
            const auto file = other_file.empty() ? nullptr : std::make_shared<const std::string>(other_file);
            complaints_.add({number, 1, file}, line, fmt::format("at most {} dots in a line", kMostDots));
            return false;
        }
        at += line.size() + 1;
    }
    return true;
}

void TomlText::unknown(const toml::key& key, std::span<const std::string_view> known)
{
    auto allowed = fmt::format("a known key, {}", instead_of(key.str(), known));
    complaints_.add(place(key.source()), key.str(), allowed);
    if (auto right = nearest(key.str(), known); is_slip(key.str(), right)) {
        misspelt_.push_back({place(key.source()), std::string{key.str()}, std::move(right), std::move(allowed)});
    }
}

void TomlText::only(const toml::table& table, std::span<const std::string_view> known)
{
    for (const auto& [key, node] : table) {
        if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
            unknown(key, known);
        }
    }
}

std::string TomlText::text(const toml::node& node)
{
    auto value = node.value_exact<std::string>().value_or("");
    if (value.empty()) {
        wrong(node, "a string that is not empty");
    }
    return value;
}

std::string TomlText::name(const toml::node& node)
{
    auto value = text(node);
    if (!printable(value)) {
        wrong(node, "a name without control characters");
    }
    return value;
}

bool TomlText::flag(const toml::node& node)
{
    const auto value = node.value_exact<bool>();
    if (!value) {
        wrong(node, "true or false");
    }
    return value.value_or(false);
}

}  // namespace petrel::codec
