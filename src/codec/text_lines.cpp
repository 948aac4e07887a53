#include "codec/text_lines.hpp"

#include <algorithm>

namespace petrel::codec {

Place Line::place(const char* at) const
{
    const auto before = text.substr(0, static_cast<std::size_t>(at - text.data()));
    const auto characters = std::count_if(before.begin(), before.end(),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
    return {number, static_cast<std::uint32_t>(characters) + 1};
}

const char* Line::word_begin(const char* at) const
{
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    while (at != text.data() && is_letter(at[-1])) {
        --at;
    }
    return at;
}

TextLines::TextLines(std::string_view text) : rest_(text)
{
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (rest_.starts_with(kByteOrderMark)) {
        rest_.remove_prefix(kByteOrderMark.size());
    }
}

std::optional<Line> TextLines::next()
{
    while (!rest_.empty()) {
        const auto end = rest_.find('\n');
        auto text = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++number_;
        if (text.ends_with('\r')) {
            text.remove_suffix(1);
        }
        if (const auto content = trimmed(text); !content.empty() && content.front() != '#') {
            return Line{text, number_};
        }
    }
    return std::nullopt;
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? text.substr(text.size())
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace petrel::codec
