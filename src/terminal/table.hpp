// Plain text tables: columns as wide as their widest cell, numbers to the right, no trailing blanks.
#pragma once

#include <string>
#include <vector>

namespace petrel {

enum class Align : unsigned char { left, right };

class Table {
public:
    struct Column {
        std::string title;
        Align align{Align::left};
        std::string group;  // heading above this column and the following ones without a group
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }

    std::string text() const;  // groups if there are any, header, rule, rows

private:
    std::vector<std::size_t> widths() const;
    std::string group_line(const std::vector<std::size_t>& widths) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace petrel
