#include "codec/link_json_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/complaint_text.hpp"
#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec {

LinkJsonLine::LinkJsonLine(const Line& line, ComplaintList& complaints) : line_(line), complaints_(complaints)
{
    std::size_t broken_at = 1;
    try {
        json_ = nlohmann::json::parse(line.text);
    } catch (const nlohmann::json::exception& error) {
        // The error may also be a number that no double can hold; it has no position.
        if (const auto* broken = dynamic_cast<const nlohmann::json::parse_error*>(&error)) {
            broken_at = std::min(std::max<std::size_t>(broken->byte, 1), line.text.size() + 1);
        }
    }
    if (!json_.is_object()) {
        const auto* at = line.word_begin(line.text.data() + broken_at - 1);  // the parser stops inside a word
        complaints.add(line.place(at), {at, line.text.data() + line.text.size()}, "one JSON object a line");
    } else if (const auto shape = json_shape(line.text); shape.repeated) {
        complain(*shape.repeated, "each key once");
    }
}

std::uint64_t LinkJsonLine::number(std::string_view key, std::uint64_t most)
{
    const auto& given = value(key);
    if (!given.is_number_unsigned() || given.get<std::uint64_t>() > most) {
        complain(key, most == kMost ? "a whole number, not negative" : fmt::format("0..{}", most));
        return 0;
    }
    return given.get<std::uint64_t>();
}

std::int64_t LinkJsonLine::signed_number(std::string_view key, std::int64_t most)
{
    const auto& given = value(key);
    const bool too_large = given.is_number_unsigned() && given.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (!given.is_number_integer() || too_large || given.get<std::int64_t>() < -most) {
        complain(key, fmt::format("-{}..{}", most, most));
        return 0;
    }
    return given.get<std::int64_t>();
}

std::optional<std::string> LinkJsonLine::text(std::string_view key, std::string_view allowed)
{
    const auto& given = value(key);
    if (!given.is_string()) {
        complain(key, std::string{allowed});
        return std::nullopt;
    }
    return given.get<std::string>();
}

bool LinkJsonLine::flag(std::string_view key, bool otherwise)
{
    if (!has(key)) {
        return otherwise;
    }
    const auto& given = value(key);
    if (!given.is_boolean()) {
        complain(key, "true or false");
        return otherwise;
    }
    return given.get<bool>();
}

std::optional<std::uint64_t> LinkJsonLine::number_or_null(std::string_view key, std::uint64_t most)
{
    return value(key).is_null() ? std::nullopt : std::optional{number(key, most)};
}

std::uint32_t LinkJsonLine::mask(std::string_view key)
{
    constexpr std::uint64_t kWhole = std::numeric_limits<std::uint32_t>::max();
    constexpr std::string_view kHex = "0x";
    const auto& given = value(key);
    if (given.is_string()) {
        const auto& word = given.get_ref<const std::string&>();
        std::uint32_t bits = 0;
        const auto* end = word.data() + word.size();
        const auto* first = word.data() + std::min(word.size(), kHex.size());
        const auto [stop, problem] = std::from_chars(first, end, bits, 16);
        if (word.starts_with(kHex) && problem == std::errc{} && stop == end) {
            return bits;
        }
    } else if (given.is_number_unsigned() && given.get<std::uint64_t>() <= kWhole) {
        return static_cast<std::uint32_t>(given.get<std::uint64_t>());
    }
    complain(key, "32 bits, as \"0x172000\"");
    return 0;
}

// If the line is not an object, that is one complaint, made already; its members get none.
void LinkJsonLine::complain(std::string_view key, std::string allowed)
{
    if (!is_object()) {
        return;
    }
    const auto quoted = fmt::format("\"{}\"", key);
    const auto at = has(key) ? line_.text.find(quoted) : std::string_view::npos;
    const auto* place = line_.text.data() + (at == std::string_view::npos ? 0 : at);
    complaints_.add(line_.place(place), has(key) ? fmt::format("{} = {}", key, to_line(value(key))) : std::string{},
                    has(key) ? std::move(allowed) : fmt::format("an object with the key {}: {}", key, allowed));
}

void LinkJsonLine::refuse_other_keys(std::initializer_list<std::string_view> known)
{
    if (!is_object()) {
        return;
    }
    for (const auto& [key, given] : json_.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            complain(key, fmt::format("a known key, {}", instead_of(key, std::vector<std::string_view>{known})));
        }
    }
}

const nlohmann::json& LinkJsonLine::value(std::string_view key) const
{
    static const nlohmann::json kNothing;
    const auto at = json_.is_object() ? json_.find(key) : json_.end();
    return at == json_.end() ? kNothing : *at;
}

}  // namespace petrel::codec
