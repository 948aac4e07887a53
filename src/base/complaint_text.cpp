#include "base/complaint_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace petrel {

namespace {

// Longer words are not typing errors, and the cost of the distance grows with the square of the length.
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kMostListed = 32;

struct Character {
    std::size_t bytes{};
    char32_t code{};
    bool valid{};  // UTF-8
};

// The first character of a text that is not empty. A byte that does not begin a UTF-8 character counts as one invalid
// character.
Character first_character(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) {
        return {1, byte(0), true};
    }
    const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    if (byte(0) < 0xc0 || byte(0) >= 0xf8 || text.size() < bytes) {
        return {1, 0, false};
    }
    char32_t code = byte(0) & (0x7fU >> bytes);
    for (std::size_t i = 1; i != bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) {
            return {1, 0, false};
        }
        code = code << 6U | (byte(i) & 0x3fU);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < kLeast.at(bytes) || code > 0x10ffff || surrogate) {
        return {1, 0, false};
    }
    return {bytes, code, true};
}

// Whether a character may move the cursor, end a line, change the order in which a terminal shows the others, or make
// two different names look the same.
bool disturbs_terminal(const Character& character)
{
    const auto code = character.code;
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool line_end = code == 0x2028 || code == 0x2029;
    const bool direction = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                           (code >= 0x2066 && code <= 0x2069);
    const bool invisible = code == 0xfeff || (code >= 0xe0000 && code <= 0xe007f);
    return !character.valid || control || line_end || direction || invisible;
}

// The text with `escape` for each character that disturbs a terminal.
template <class Escape>
std::string with_escapes(std::string_view text, Escape escape)
{
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const auto character = first_character(text);
        const auto bytes = text.substr(0, character.bytes);
        if (disturbs_terminal(character)) {
            escape(character, bytes, shown);
        } else {
            shown += bytes;
        }
        text.remove_prefix(character.bytes);
    }
    return shown;
}

// Letters inserted, left out, replaced, or swapped with their neighbour. Neither word is longer than kLongestWord.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    using Row = std::array<std::size_t, kLongestWord + 1>;
    Row before_last{};
    Row last{};
    Row row{};
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = a[i - 1] == b[j - 1];
            row[j] = std::min({last[j - 1] + (same ? 0U : 1U), last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

}  // namespace

std::string escaped(std::string_view text)
{
    return with_escapes(text, [](const Character&, std::string_view bytes, std::string& shown) {
        for (const char byte : bytes) {
            fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(byte));
        }
    });
}

std::string json_escaped(std::string_view json)
{
    return with_escapes(json, [](const Character& character, std::string_view, std::string& shown) {
        const auto code = static_cast<std::uint32_t>(character.code);
        if (code < 0x10000) {
            fmt::format_to(std::back_inserter(shown), "\\u{:04x}", code);
        } else {
            const auto above = code - 0x10000;
            fmt::format_to(std::back_inserter(shown), "\\u{:04x}\\u{:04x}", 0xd800 + (above >> 10U),
                           0xdc00 + (above & 0x3ffU));
        }
    });
}

bool printable(std::string_view text)
{
    const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
    if (std::all_of(text.begin(), text.end(), plain)) {
        return true;  // nearly all texts are
    }
    while (!text.empty()) {
        const auto character = first_character(text);
        if (disturbs_terminal(character)) {
            return false;
        }
        text.remove_prefix(character.bytes);
    }
    return true;
}

std::string shortened(std::string_view text, std::size_t most)
{
    return text.size() <= most ? std::string{text} : cut_text(text.substr(0, most), text.size());
}

std::string cut_text(std::string_view begin, std::size_t whole)
{
    // Do not split a character: keep the last one only if all of its bytes are present. Bytes 10xxxxxx continue a
    // character.
    auto last = begin.size();
    while (last != 0 && begin.size() - last < 4) {
        --last;
        if ((static_cast<unsigned char>(begin[last]) & 0xc0U) != 0x80) {
            break;
        }
    }
    const bool complete = last == begin.size() || first_character(begin.substr(last)).valid;
    const auto kept = complete ? begin : begin.substr(0, last);
    return fmt::format("{}… and {} more bytes", kept, whole - kept.size());
}

std::string excerpt(std::string_view text) { return escaped(shortened(text, kLongestExcerpt)); }

std::string to_text(std::span<const Complaint> complaints, std::string_view between)
{
    std::string all;
    for (const auto& complaint : complaints) {
        all += all.empty() ? "" : between;
        all += to_text(complaint);
    }
    return all;
}

std::string to_text(const Complaint& complaint)
{
    std::string text = escaped(complaint.file);
    if (complaint.line != 0) {
        text += fmt::format("{}{}", text.empty() ? "" : ":", complaint.line);
        if (complaint.column != 0) {
            text += fmt::format(":{}", complaint.column);
        }
    }
    const auto part = [&text](const std::string& words) {
        text += fmt::format("{}{}", text.empty() ? "" : ": ", words);
    };
    if (complaint.allowed.empty()) {
        part(escaped(complaint.value));
        return text;
    }
    if (!complaint.value.empty()) {
        part(fmt::format("value '{}'", excerpt(complaint.value)));
    }
    part(fmt::format("allowed {}", escaped(complaint.allowed)));
    return text;
}

std::string nearest(std::string_view word, std::span<const std::string_view> candidates)
{
    if (word.size() > kLongestWord) {
        return {};
    }
    std::string_view best;
    std::size_t best_distance = word.size();  // a word with every letter replaced is a different word
    for (const auto candidate : candidates) {
        const auto longest = std::max(word.size(), candidate.size());
        const auto distance = edit_distance(word, candidate.substr(0, kLongestWord));
        if (distance < best_distance && distance <= std::max<std::size_t>(1, longest * 2 / 5)) {
            best = candidate;
            best_distance = distance;
        }
    }
    return std::string{best};
}

bool is_slip(std::string_view word, std::string_view right)
{
    return !word.empty() && !right.empty() && word.front() == right.front() &&
           std::max(word.size(), right.size()) <= kLongestWord && edit_distance(word, right) == 1;
}

std::string instead_of(std::string_view word, std::span<const std::string_view> candidates)
{
    if (const auto near = nearest(word, candidates); !near.empty()) {
        return fmt::format("the nearest is '{}'", near);
    }
    if (candidates.empty()) {
        return "none";
    }
    const auto listed = candidates.first(std::min(candidates.size(), kMostListed));
    return fmt::format("one of {}{}", fmt::join(listed, ", "), listed.size() < candidates.size() ? ", ..." : "");
}

}  // namespace petrel
