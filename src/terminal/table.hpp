// Plain text tables: columns as wide as their widest cell, numbers to the right, no trailing blanks. A table that is
// wider than the terminal leaves out its less important columns. Text in the last column wraps between words, if
// there is room for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "terminal/wrap.hpp"

namespace petrel {

enum class Align : unsigned char { left, right };

class Table {
public:
    struct Column {
        std::string title;
        Align align{Align::left};
        std::string group;           // heading above this column and the following ones without a group
        std::uint8_t dispensable{};  // where it is too narrow, the column with the largest value goes first; 0 stays
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }

    void fit(std::size_t width);
    const std::vector<std::string>& left_out() const { return left_out_; }  // by `fit`, with their groups

    std::string text() const;  // groups if there are any, header, rule, rows

private:
    std::vector<std::size_t> widths() const;
    std::size_t least_width() const;
    std::string group_line(const std::vector<std::size_t>& widths) const;
    void drop(std::size_t column);

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::string> left_out_;
    std::size_t width_{kAnyWidth};
};

}  // namespace petrel
