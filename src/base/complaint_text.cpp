#include "base/complaint_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace petrel {

namespace {

// Longer words are no typing errors, and the distance costs length times length.
constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kMostListed = 32;

// How many bytes the control character at the beginning of a text has; zero if there is none.
std::size_t control_character(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x20 || byte(0) == 0x7f) {
        return 1;
    }
    return text.size() > 1 && byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
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
    std::string shown;
    while (!text.empty()) {
        const auto control = control_character(text);
        for (std::size_t i = 0; i < control; ++i) {
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
        }
        if (control == 0) {
            shown += text.front();
        }
        text.remove_prefix(std::max<std::size_t>(control, 1));
    }
    return shown;
}

bool printable(std::string_view text)
{
    for (; !text.empty(); text.remove_prefix(1)) {
        if (control_character(text) != 0) {
            return false;
        }
    }
    return true;
}

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
        part(fmt::format("value '{}'", escaped(complaint.value)));
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
    std::size_t best_distance = word.size();  // a word with every letter replaced is another word
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
