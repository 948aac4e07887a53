#include "codec/csv_splitter.hpp"

#include <algorithm>

namespace petrel::codec {

const std::vector<Cell>* CsvSplitter::split(const Line& line)
{
    cells_.clear();
    undoubled_.clear();
    end_ = line.text.data() + line.text.size();
    for (const char* at = line.text.data();; ++at) {
        at = after_blanks(at);
        Cell cell{.text = {}, .at = at};
        if (at != end_ && *at == '"') {
            at = read_quoted(cell);
            if (at == nullptr) {
                complaints_.add(line.place(cell.at), {cell.at, end_}, "a closing quote in the same line");
                return nullptr;
            }
            if (at != end_ && *at != ',') {
                complaints_.add(line.place(at), {at, end_}, "a comma or the end of the line after a closing quote");
                return nullptr;
            }
        } else {
            at = std::find(at, end_, ',');
            cell.text = trimmed({cell.at, at});
        }
        cells_.push_back(cell);
        if (at == end_) {
            return &cells_;
        }
    }
}

const char* CsvSplitter::after_blanks(const char* at) const
{
    return std::find_if(at, end_, [](char c) { return c != ' ' && c != '\t'; });
}

const char* CsvSplitter::read_quoted(Cell& cell)
{
    const char* const first = cell.at + 1;
    const char* close = std::find(first, end_, '"');
    bool doubled = false;
    while (close != end_ && close + 1 != end_ && close[1] == '"') {
        doubled = true;
        close = std::find(close + 2, end_, '"');
    }
    if (close == end_) {
        return nullptr;
    }
    cell.text = {first, close};
    if (doubled) {
        cell.text = undouble(cell.text);
    }
    return after_blanks(close + 1);
}

std::string_view CsvSplitter::undouble(std::string_view quoted)
{
    auto& text = undoubled_.emplace_back();
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        text += quoted[i];
        i += quoted[i] == '"' ? 1U : 0U;  // the second of a pair
    }
    return text;
}

}  // namespace petrel::codec
