#include "terminal/wrap.hpp"

#include <algorithm>

namespace petrel {
namespace {

// Adds one line without its end. Blanks inside the line stay, unless the line breaks there.
void add_wrapped(std::string_view line, std::size_t width, std::size_t hanging, std::string& to)
{
    const auto blanks = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(std::min(blanks + hanging, width / 2), ' ');
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
            add_wrapped(line, width, hanging, all);
        }
        text.remove_prefix(line.size());
        if (!text.empty()) {
            all += '\n';
            text.remove_prefix(1);
        }
    }
    return all;
}

}  // namespace petrel
