#include "codec/scenario/section.hpp"

#include <array>

#include "base/complaint_text.hpp"

namespace petrel::codec {

const toml::node* Section::require(std::string_view key, std::string_view what)
{
    const auto* node = find(key);
    if (node == nullptr) {
        text_.complaints().add(place(table_), {}, fmt::format("{} = {}", key, what));
    }
    return node;
}

const toml::node* Section::require_kind(std::string_view what)
{
    constexpr std::array<std::string_view, 1> kKind{"kind"};
    if (const auto* node = find(kKind.front())) {
        return node;
    }
    for (const auto& [key, node] : table_) {
        if (std::ranges::find(known_, key.str()) == known_.end() && !nearest(key.str(), kKind).empty()) {
            text_.unknown(key, kKind);
            return nullptr;
        }
    }
    return require(kKind.front(), what);
}

void Section::read(std::string_view key, bool& into)
{
    if (const auto* node = find(key)) {
        into = text_.flag(*node);
    }
}

void Section::read(std::string_view key, std::string& into)
{
    if (const auto* node = find(key)) {
        into = text_.name(*node);
    }
}

void Section::read(std::string_view key, double& into, double least, double most)
{
    const auto* node = find(key);
    if (node == nullptr) {
        return;
    }
    const auto value = node->value<double>();
    if (!node->is_number() || !value || !(*value >= least && *value <= most)) {
        return text_.wrong(*node, fmt::format("a number {}..{}", least, most));
    }
    into = *value;
}

std::optional<std::int64_t> Section::whole(const toml::node& node, std::int64_t least, std::int64_t most)
{
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < least || *value > most) {
        text_.wrong(node, fmt::format("a whole number {}..{}", least, most));
        return std::nullopt;
    }
    return value;
}

void Section::time(std::string_view key, std::uint64_t& into_ps, std::uint64_t least_ps)
{
    const auto* node = find(key);
    if (node == nullptr) {
        return;
    }
    const auto value = time_in_ps(node->value_exact<std::string_view>().value_or(std::string_view{}));
    if (!value) {
        return text_.wrong(*node, std::string{kTimeAllowed});
    }
    if (*value < least_ps) {
        return text_.wrong(*node, fmt::format("a time of at least {} ps", least_ps));
    }
    into_ps = *value;
}

void Section::rate(std::string_view key, BitRate& into)
{
    const auto* node = find(key);
    if (node == nullptr) {
        return;
    }
    const auto value = rate_in_bps(node->value_exact<std::string_view>().value_or(std::string_view{}));
    // Outside this range the time of one byte does not fit the twin's integers.
    if (!value || *value < 10'000'000 || *value > 3'200'000'000'000) {
        return text_.wrong(*node, fmt::format("{}; 10M to 3.2T", kRateAllowed));
    }
    into = {*value};
}

std::optional<std::uint64_t> Section::bytes(const toml::node& node, std::uint64_t most)
{
    std::optional<std::uint64_t> value;
    if (const auto number = node.value_exact<std::int64_t>(); number && *number >= 0) {
        value = static_cast<std::uint64_t>(*number);
    } else if (const auto words = node.value_exact<std::string_view>()) {
        value = size_in_bytes(*words);
    }
    if (!value || *value > most) {
        text_.wrong(node, fmt::format("a number of bytes, or {}; at most {} B", kSizeAllowed, most));
        return std::nullopt;
    }
    return value;
}

std::optional<std::size_t> Section::choice(const toml::node& node, std::span<const std::string_view> words)
{
    const auto word = node.value_exact<std::string_view>().value_or(std::string_view{});
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) {
        text_.wrong(node, fmt::format("a known word, {}", instead_of(shown(node), words)));
        return std::nullopt;
    }
    return static_cast<std::size_t>(at - words.begin());
}

std::vector<std::uint8_t> Section::numbers_to_7(const toml::node& node)
{
    std::vector<std::uint8_t> numbers;
    const auto add = [&](const toml::node& one) {
        if (const auto value = whole(one, 0, kPriorities - 1)) {
            numbers.push_back(static_cast<std::uint8_t>(*value));
        }
    };
    if (const auto* list = node.as_array()) {
        for (const auto& one : *list) {
            add(one);
        }
    } else {
        add(node);
    }
    return numbers;
}

void Section::priorities(std::string_view key, std::uint8_t& into)
{
    if (const auto* node = find(key)) {
        into = 0;
        for (const auto priority : numbers_to_7(*node)) {
            into = static_cast<std::uint8_t>(into | 1U << priority);
        }
    }
}

std::optional<Section> Section::below(std::string_view key)
{
    const auto* node = find(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    if (!node->is_table()) {
        text_.wrong(*node, fmt::format("a table, {} = {{ ... }}", key));
        return std::nullopt;
    }
    return Section{text_, *node->as_table()};
}

void Section::done()
{
    for (const auto& [key, node] : table_) {
        if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) {
            text_.unknown(key, known_);
        }
    }
}

}  // namespace petrel::codec
