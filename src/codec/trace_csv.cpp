#include "codec/trace_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/complaint_text.hpp"
#include "base/csv_cell.hpp"
#include "codec/csv_splitter.hpp"

namespace petrel::codec {

namespace {

// The column at each position. There is a complaint for each unknown name; a misspelt one counts as the column that is
// meant, so that its cells are checked, too. None: unlike any column.
std::vector<std::optional<Column>> read_header(const Line& line, const std::vector<Cell>& cells,
                                               ComplaintList& complaints)
{
    std::vector<std::optional<Column>> positions;
    const auto has = [&](Column column) {
        return std::ranges::find(positions, std::optional{column}) != positions.end();
    };
    for (const auto& cell : cells) {
        positions.push_back(column_from_name(cell.text));
        if (positions.back() && std::ranges::count(positions, positions.back()) != 1) {
            complaints.add(line.place(cell.at), cell.text, "each column once");
        }
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (positions[i]) {
            continue;
        }
        const auto near = nearest(cells[i].text, column_names());
        complaints.add(line.place(cells[i].at), cells[i].text,
                       near.empty() ? "a known column (docs/trace-format.md)"
                                    : fmt::format("a known column, the nearest is '{}'", near));
        const auto meant = column_from_name(near);
        if (meant && !has(*meant)) {
            positions[i] = meant;
        }
    }
    std::vector<std::string_view> missing;
    for (const auto required : {Column::time_us, Column::port, Column::queue}) {
        if (!has(required)) {
            missing.push_back(column_names()[index(required)]);
        }
    }
    if (!missing.empty()) {
        complaints.add(line.place(line.text.data()), line.text,
                       fmt::format("a header with {}", fmt::join(missing, ", ")));
    }
    return positions;
}

}  // namespace

void read_csv_rows(std::string_view text, TraceBuilder& builder, ComplaintList& complaints)
{
    TextLines lines{text};
    CsvSplitter splitter{complaints};
    const auto header = lines.next();
    if (!header) {
        complaints.add({1, 1}, {}, "a header with the columns time_us,port,queue, or JSON lines");
        return;
    }
    const auto* names = splitter.split(*header);
    if (names == nullptr) {
        return;
    }
    const auto positions = read_header(*header, *names, complaints);
    const auto has_column = [&](Column column) {
        return std::ranges::find(positions, std::optional{column}) != positions.end();
    };
    const bool readable = has_column(Column::time_us) && has_column(Column::port);

    while (const auto line = lines.next()) {
        const auto* found = splitter.split(*line);
        if (found == nullptr) {
            continue;
        }
        if (found->size() != positions.size()) {
            complaints.add(line->place(line->text.data()), fmt::format("{} cells", found->size()),
                           fmt::format("{} cells, as in the header", positions.size()));
            continue;
        }
        Cells cells;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            if (positions[i]) {
                cells[index(*positions[i])] = (*found)[i];
            }
        }
        for (const auto name : {Column::port, Column::device}) {
            auto& cell = cells[index(name)].text;
            cell = text_of_csv_cell(cell);
        }
        if (readable) {  // else every row would have the same problem again
            add_cells(cells, *line, builder, complaints);
        }
    }
}

}  // namespace petrel::codec
