#include "sonic_tools/simple_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/complaint_text.hpp"

namespace petrel::sonic_tools {
namespace {

constexpr std::size_t kHeadingBlanks = 2;
constexpr std::size_t kLongestCell = 1024;

bool is_number(std::string_view text)
{
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

struct Column {
    std::size_t width{};
    bool right{};
};

std::vector<Column> columns_of(const SimpleTable& table)
{
    const bool text_right = table.text_align == SimpleTable::TextAlign::right;
    const bool right = text_right || !table.rows.empty();  // until a cell is no number
    std::vector<Column> columns;
    columns.reserve(table.heading.size());
    for (const auto& title : table.heading) {
        columns.push_back({title.size() + kHeadingBlanks, right});
    }
    for (const auto& row : table.rows) {
        columns.resize(std::max(columns.size(), row.size()), {0, right});
        for (std::size_t i = 0; i != row.size(); ++i) {
            columns[i].width = std::max(columns[i].width, row[i].size());
            columns[i].right = columns[i].right && (text_right || is_number(row[i]));
        }
    }
    return columns;
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<Column>& columns)
{
    std::string line;
    for (std::size_t i = 0; i != cells.size(); ++i) {
        line += i == 0 ? "" : "  ";
        line += columns[i].right ? fmt::format("{:>{}}", cells[i], columns[i].width)
                                 : fmt::format("{:<{}}", cells[i], columns[i].width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

}  // namespace

std::string to_text(SimpleTable table)
{
    for (auto& row : table.rows) {
        for (auto& cell : row) {
            cell = escaped(shortened(cell, kLongestCell));
        }
    }
    const auto columns = columns_of(table);
    std::vector<std::string> dashes;
    std::transform(columns.begin(), columns.end(), std::back_inserter(dashes),
                   [](const Column& column) { return std::string(column.width, '-'); });
    const auto rule = line_of(dashes, columns);
    auto text = table.heading.empty() ? rule : line_of(table.heading, columns) + rule;
    for (const auto& row : table.rows) {
        text += line_of(row, columns);
    }
    return table.heading.empty() ? text + rule : text;
}

}  // namespace petrel::sonic_tools
