// CSV with a header in which a mapping file finds the time, the names and the counters. One row may have the counters
// of one queue (a column names the queue) or of a port (names of columns have the priority).
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/complaint_text.hpp"
#include "base/csv_cell.hpp"
#include "codec/csv_splitter.hpp"
#include "codec/import/import_readers.hpp"

namespace petrel::codec {
namespace {

class MappedCsvReader {
public:
    MappedCsvReader(Import& import, ComplaintList& complaints)
        : import_(import), complaints_(complaints), splitter_(complaints)
    {}

    void read(std::string_view text)
    {
        TextLines lines{text};
        const auto header = lines.next();
        const auto* names = header ? splitter_.split(*header) : nullptr;
        if (names == nullptr || !read_header(*header, *names)) {
            if (!header) {
                complaints_.add({1, 1}, {}, "a header with the names of the columns");
            }
            return;
        }
        while (const auto line = lines.next()) {
            if (const auto* cells = splitter_.split(*line)) {
                read_row(*line, *cells);
            }
        }
    }

private:
    using Position = std::optional<std::size_t>;

    // The column that the mapping names, or the first of the usual ones.
    Position find(const Line& line, const std::vector<Cell>& names, const std::string& wanted,
                  std::initializer_list<std::string_view> usual)
    {
        for (std::size_t i = 0; i != names.size(); ++i) {
            if (wanted.empty() ? std::ranges::find(usual, names[i].text) != usual.end() : names[i].text == wanted) {
                return i;
            }
        }
        if (!wanted.empty()) {
            complaints_.add(line.place(line.text.data()), line.text,
                            fmt::format("the column '{}', which the mapping file names", wanted));
        }
        return std::nullopt;
    }

    bool read_header(const Line& line, const std::vector<Cell>& names)
    {
        const auto& map = import_.map;
        time_ = find(line, names, map.time, {"time", "timestamp", "ts", "time_us", "date"});
        device_ = find(line, names, map.device, {"device", "switch", "hostname", "host"});
        port_ = find(line, names, map.port, {"port", "interface", "ifname"});
        queue_ = find(line, names, map.queue, {"queue", "priority", "prio"});
        if (time_ && map.time_unit == TimeUnit::guessed && names[*time_].text == "time_us") {
            unit_ = TimeUnit::us;
        } else {
            unit_ = map.time_unit;
        }
        for (const auto& [position, what] : {std::pair{time_, "time"}, std::pair{port_, "port"}}) {
            if (!position && complaints_.empty()) {
                complaints_.add(line.place(line.text.data()), line.text,
                                fmt::format("a column with the {}; a mapping file can name it", what));
            }
        }
        for (std::size_t i = 0; i != names.size(); ++i) {
            const Position here{i};
            const bool is_name = here == time_ || here == device_ || here == port_ || here == queue_;
            meanings_.push_back(is_name ? std::nullopt : map.find(names[i].text));
            if (!is_name && !meanings_.back()) {
                import_.left_out.insert(std::string{names[i].text});
            }
        }
        return time_ && port_ && complaints_.empty();
    }

    void read_row(const Line& line, const std::vector<Cell>& cells)
    {
        if (cells.size() != meanings_.size()) {
            complaints_.add(line.place(line.text.data()), fmt::format("{} cells", cells.size()),
                            fmt::format("{} cells, as in the header", meanings_.size()));
            return;
        }
        const auto at = recorded_time(cells[*time_].text, unit_);
        if (!at) {
            complaints_.add(line.place(cells[*time_].at), cells[*time_].text,
                            "a time: 2026-03-09T07:05:00Z, or a number since 1970");
        }
        RecordedQueue queue;
        queue.port = text_of_csv_cell(cells[*port_].text);
        if (queue.port.empty()) {
            complaints_.add(line.place(cells[*port_].at), {}, "the name of a port");
        }
        if (device_) {
            queue.device = text_of_csv_cell(cells[*device_].text);
        }
        std::optional<std::uint8_t> priority;
        if (queue_ && !cells[*queue_].text.empty()) {
            priority = priority_in(cells[*queue_].text);
            if (!priority) {
                complaints_.add(line.place(cells[*queue_].at), cells[*queue_].text, "a queue 0..7, or empty");
            }
        }
        for (std::size_t i = 0; i != cells.size(); ++i) {
            if (!meanings_[i]) {
                continue;
            }
            const auto value = recorded_value(cells[i].text, meanings_[i]->times);
            if (!value) {
                complaints_.add(line.place(cells[i].at), cells[i].text, value.error().what);
            } else if (*value && at && !queue.port.empty()) {
                queue.priority = meanings_[i]->priority ? meanings_[i]->priority : priority;
                import_.recording.add(queue, *at, meanings_[i]->column, **value);
            }
        }
    }

    Import& import_;
    ComplaintList& complaints_;
    CsvSplitter splitter_;
    Position time_;
    Position device_;
    Position port_;
    Position queue_;
    TimeUnit unit_{};
    std::vector<std::optional<CounterMeaning>> meanings_;  // by column
};

}  // namespace

void read_mapped_csv(const ImportFile& file, Import& import, ComplaintList& complaints)
{
    MappedCsvReader{import, complaints}.read(file.text);
}

}  // namespace petrel::codec
