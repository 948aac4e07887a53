#include "terminal/wrap.hpp"

#include <algorithm>

namespace petrel {
namespace {

// Where the last column of a row begins. Zero: the line is no row.
std::size_t last_column(std::string_view line)
{
    constexpr std::string_view kGap = "  ";
    const auto gap = line.rfind(kGap);
    const auto before = line.substr(0, gap == std::string_view::npos ? 0 : gap);
    return before.find_first_not_of(' ') == std::string_view::npos ? 0 : shown_width(line.substr(0, gap + kGap.size()));
}

// Where a line that is wrapped continues.
std::size_t next_lines_begin(std::string_view line, std::size_t width, std::size_t hanging)
{
    constexpr std::size_t kFarIn = 12;  // such a line is the rest of a row itself
    const auto column = last_column(line);
    if (column != 0 && column <= width / 2) {
        return column;
    }
    const auto blanks = std::min(line.find_first_not_of(' '), line.size());
    return std::min(blanks < kFarIn ? blanks + hanging : blanks, width / 2);
}

// Adds one line without its end. Blanks inside the line stay, unless the line breaks there.
void add_wrapped(std::string_view line, std::size_t width, std::size_t begin, std::string& to)
{
    const std::string indent(begin, ' ');
    std::size_t used = 0;
    bool at_begin = true;  // no word of this output line yet
    while (!line.empty()) {
        const auto word_at = std::min(line.find_first_not_of(' '), line.size());
        const auto word_end = std::min(line.find(' ', word_at), line.size());
        const auto piece = line.substr(0, word_end);
        if (!at_begin && used + shown_width(piece) > width) {
            to += '\n' + indent;
            used = indent.size();
            line.remove_prefix(word_at);
            at_begin = true;
            continue;
        }
        to += piece;
        used += shown_width(piece);
        line.remove_prefix(word_end);
        at_begin = false;
    }
}

}  // namespace

std::size_t shown_width(std::string_view text)
{
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = std::min(text.find('m', i), text.size() - 1);
        } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {  // a dash is three bytes in UTF-8
            ++width;
        }
    }
    return width;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t hanging)
{
    std::string all;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        if (shown_width(line) <= width) {
            all += line;
        } else {
            add_wrapped(line, width, next_lines_begin(line, width, hanging), all);
        }
        text.remove_prefix(line.size());
        if (!text.empty()) {
            all += '\n';
            text.remove_prefix(1);
        }
    }
    return all;
}

std::string wrapped_at(std::string_view line, std::size_t width, std::size_t begin)
{
    std::string all;
    add_wrapped(line, width, begin, all);
    return all;
}

}  // namespace petrel
