#include "terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace petrel {
namespace {

constexpr std::string_view kColumnGap = "  ";
constexpr std::size_t kLeastText = 20;  // text in the last column wraps in so many columns

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

void Table::fit(std::size_t width)
{
    width_ = width;
    for (;;) {
        const auto least = std::ranges::max_element(columns_, {}, &Column::dispensable);
        if (least_width() <= width || least->dispensable == 0) {
            return;
        }
        drop(static_cast<std::size_t>(least - columns_.begin()));
    }
}

std::size_t Table::least_width() const
{
    auto all = widths();
    const auto& last = columns_.back();
    if (last.align == Align::left && last.dispensable == 0) {
        all.back() = std::min(all.back(), kLeastText);
    }
    return std::accumulate(all.begin(), all.end(), all.size() * kColumnGap.size()) - kColumnGap.size();
}

void Table::drop(std::size_t column)
{
    auto group_at = column;
    while (group_at != 0 && columns_[group_at].group.empty()) {
        --group_at;
    }
    const auto& group = columns_[group_at].group;
    left_out_.push_back(group.empty() ? columns_[column].title : group + ' ' + columns_[column].title);
    const auto next = column + 1;
    if (!columns_[column].group.empty() && next != columns_.size() && columns_[next].group.empty()) {
        columns_[next].group = columns_[column].group;
    }
    const auto at = static_cast<std::ptrdiff_t>(column);
    columns_.erase(columns_.begin() + at);
    for (auto& row : rows_) {
        row.erase(row.begin() + at);
    }
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
    std::size_t last_begin = 0;  // of the last column
    const auto line_of = [&](const auto& cell_at) {
        std::string line;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const std::string cell = cell_at(i);
            const std::string padding(width[i] - shown_width(cell), ' ');
            line += i == 0 ? "" : kColumnGap;
            last_begin = shown_width(line);
            line += columns_[i].align == Align::left ? cell + padding : padding + cell;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        return line;
    };
    all += line_of([&](std::size_t i) { return columns_[i].title; }) + '\n';
    const auto room = width_ - std::min(last_begin, width_);
    const bool wraps = columns_.back().align == Align::left && room >= kLeastText;
    all += line_of([&](std::size_t i) {
               const bool last = i + 1 == columns_.size();
               return std::string(last && wraps ? std::min(width[i], room) : width[i], '-');
           }) +
           '\n';
    for (const auto& row : rows_) {
        const auto line = line_of([&](std::size_t i) { return row[i]; });
        all += (wraps && shown_width(line) > width_ ? wrapped_at(line, width_, last_begin) : line) + '\n';
    }
    return all;
}

}  // namespace petrel
