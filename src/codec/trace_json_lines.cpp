#include "codec/trace_json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/complaint_text.hpp"

namespace petrel::codec {

namespace {

// Reports to the handler how far the parser has read: the parser's callbacks carry no position.
class WatchedIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    WatchedIterator(const char* at, const char** seen) : at_(at), seen_(seen) {}
    reference operator*() const { return *at_; }
    WatchedIterator& operator++()
    {
        *seen_ = ++at_;
        return *this;
    }
    bool operator==(const WatchedIterator& other) const { return at_ == other.at_; }
    bool operator!=(const WatchedIterator& other) const { return at_ != other.at_; }

private:
    const char* at_;
    const char** seen_;
};

// Collects the cells of one line. Numbers are taken as text, so that none is converted to double.
class CellCollector : public nlohmann::json::json_sax_t {
public:
    CellCollector(const Line& line, std::set<std::string, std::less<>>& unknown_names, ComplaintList& complaints)
        : line_(line), unknown_names_(unknown_names), complaints_(complaints), value_at_(line.text.data())
    {}

    const Cells& cells() const { return cells_; }
    const char** seen() { return &seen_; }

    bool null() override { return scalar({}); }
    bool boolean(bool yes) override { return scalar(yes ? "true" : "false"); }
    bool number_integer(number_integer_t) override { return number(); }
    bool number_unsigned(number_unsigned_t) override { return number(); }
    bool number_float(number_float_t, const string_t&) override { return number(); }
    bool binary(binary_t&) override { return false; }  // does not occur in JSON text

    bool string(string_t& text) override
    {
        if (column_) {
            auto& kept = texts_[index(*column_)];
            kept = std::move(text);
            return scalar(kept);
        }
        return scalar(text);
    }

    bool start_object(std::size_t) override { return depth_++ == 0 || nested(); }
    bool start_array(std::size_t) override { return nested(); }
    bool end_object() override { return true; }
    bool end_array() override { return true; }

    bool key(string_t& name) override
    {
        value_at_ = seen_;
        column_ = column_from_name(name);
        if (!column_ && unknown_names_.insert(name).second) {
            complaints_.add(place_of_key(), name, fmt::format("a known column, {}", instead_of(name, column_names())));
        } else if (column_ && cells_[index(*column_)].at != nullptr) {
            complaints_.add(place_of_key(), name, "each column once");
        }
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override
    {
        const auto* stop = line_.text.data() + std::min(position == 0 ? 0 : position - 1, line_.text.size());
        const auto* at = line_.word_begin(stop);  // the parser stops inside a word
        complaints_.add(line_.place(at), {at, end()}, "one JSON object a line");
        return false;
    }

private:
    const char* end() const { return line_.text.data() + line_.text.size(); }

    // The parser has just read the closing quote of the key.
    Place place_of_key() const
    {
        const auto read = std::string_view{line_.text.data(), value_at_};
        auto quote = read.size() - 1;
        do {
            quote = read.rfind('"', quote - 1);
        } while (quote > 0 && read[quote - 1] == '\\');
        return line_.place(line_.text.data() + quote);
    }

    const char* value_start() const
    {
        return std::find_if(value_at_, end(), [](char c) { return c != ' ' && c != '\t' && c != ':'; });
    }

    bool number()
    {
        const auto* first = value_start();
        const std::string_view text{first, std::find_if(first, end(), [](char c) {
                                        return std::string_view{"+-.0123456789eE"}.find(c) == std::string_view::npos;
                                    })};
        // This column is hexadecimal: ten is "a". A decimal number of several digits would be ambiguous.
        if (column_ == column_of(watchdog::Field::pause_timeout) && text.size() > 1) {
            complaints_.add(line_.place(first), text, "a string of hex digits");
            return scalar({});
        }
        return scalar(text);
    }

    bool scalar(std::string_view text)
    {
        if (depth_ == 0) {
            return nested();
        }
        if (column_) {
            cells_[index(*column_)] = {text, value_start()};
        }
        return true;
    }

    bool nested()
    {
        const auto* at = value_start();
        complaints_.add(line_.place(at), {at, end()},
                        depth_ == 0 ? "one JSON object a line" : "a number, a string, true, false or null");
        return false;
    }

    const Line& line_;
    std::set<std::string, std::less<>>& unknown_names_;
    ComplaintList& complaints_;
    Cells cells_;
    std::array<std::string, kColumns> texts_;
    const char* seen_{};
    const char* value_at_;  // just after the last key; before the first one, the start of the line
    std::optional<Column> column_;
    int depth_{};
};

}  // namespace

void read_json_rows(std::string_view text, TraceBuilder& builder, ComplaintList& complaints)
{
    std::set<std::string, std::less<>> unknown_names;  // each name is reported once, however many lines contain it
    TextLines lines{text};
    while (const auto line = lines.next()) {
        CellCollector collector{*line, unknown_names, complaints};
        const WatchedIterator first{line->text.data(), collector.seen()};
        const WatchedIterator last{line->text.data() + line->text.size(), collector.seen()};
        if (!nlohmann::json::sax_parse(first, last, &collector)) {
            continue;
        }
        const auto& cells = collector.cells();
        for (const auto required : {Column::time_us, Column::port}) {
            if (cells[index(required)].at == nullptr) {
                complaints.add(line->place(line->text.data()), line->text,
                               fmt::format("an object with the key {}", column_names()[index(required)]));
            }
        }
        add_cells(cells, *line, builder, complaints);
    }
}

}  // namespace petrel::codec
