#include "terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace petrel {
namespace {

constexpr std::string_view kColumnGap = "  ";

// Counts characters, not bytes: a dash is three bytes in UTF-8 and one column on the screen.
std::size_t shown_width(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::vector<std::size_t> Table::widths() const
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t width = shown_width(columns_[i].title);
        for (const auto& row : rows_) {
            width = std::max(width, shown_width(row[i]));
        }
        widths.push_back(width);
    }
    // Widens a group's last column until the group's name fits.
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].group.empty()) {
            continue;
        }
        std::size_t last = i;
        std::size_t room = widths[i];
        while (last + 1 < columns_.size() && columns_[last + 1].group.empty()) {
            room += kColumnGap.size() + widths[++last];
        }
        widths[last] += std::max(room, shown_width(columns_[i].group)) - room;
    }
    return widths;
}

std::string Table::group_line(const std::vector<std::size_t>& widths) const
{
    std::string line;
    std::size_t column_begin = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!columns_[i].group.empty()) {
            line += std::string(column_begin - shown_width(line), ' ') + columns_[i].group;
        }
        column_begin += widths[i] + kColumnGap.size();
    }
    return line.empty() ? line : line + '\n';
}

std::string Table::text() const
{
    const auto width = widths();
    auto all = group_line(width);
    const auto add_line = [&](const auto& cell_at) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string cell = cell_at(i);
            const std::string padding(width[i] - shown_width(cell), ' ');
            line += i == 0 ? "" : kColumnGap;
            line += columns_[i].align == Align::left ? cell + padding : padding + cell;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        all += line + '\n';
    };
    add_line([&](std::size_t i) { return columns_[i].title; });
    add_line([&](std::size_t i) { return std::string(width[i], '-'); });
    for (const auto& row : rows_) {
        add_line([&](std::size_t i) { return row[i]; });
    }
    return all;
}

}  // namespace petrel
