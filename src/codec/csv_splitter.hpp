// Splits a line of CSV into its cells.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint_list.hpp"
#include "codec/text_lines.hpp"
#include "codec/trace_columns.hpp"

namespace petrel::codec {

class CsvSplitter {
public:
    explicit CsvSplitter(ComplaintList& complaints) : complaints_(complaints) {}

    // The cells of a line, valid until the next call; null if a quote is not closed properly.
    const std::vector<Cell>* split(const Line&);

private:
    const char* after_blanks(const char* at) const;
    // Returns what follows the closing quote and blanks; null if there is no closing quote.
    const char* read_quoted(Cell&);
    std::string_view undouble(std::string_view quoted);

    ComplaintList& complaints_;
    const char* end_{};
    std::vector<Cell> cells_;
    std::deque<std::string> undoubled_;  // cells point into it
};

}  // namespace petrel::codec
