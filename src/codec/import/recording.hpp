// Readings of counters from any source and in any order, and the rows of a trace that they make.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "codec/trace_columns.hpp"

namespace petrel::codec {

// A queue, or a port as a whole.
struct RecordedQueue {
    std::string device;  // empty = the only one
    std::string port;
    std::optional<std::uint8_t> priority;
    auto operator<=>(const RecordedQueue&) const = default;
};

// What the rows of a trace have in common.
struct RecordedTable {
    std::int64_t begin_us{};      // time 0 of the trace, since 1970
    bool devices{};               // rows name their device
    std::vector<Column> columns;  // besides time, device, port and queue; in the order of the format

    std::string header() const;
};

class Recording {
public:
    // Times are microseconds since 1970, also the value of `sampled_us`. Of two readings of the same counter at the
    // same time, the later call counts.
    void add(const RecordedQueue&, std::int64_t at_us, Column, std::uint64_t value);

    bool empty() const { return readings_.empty(); }
    RecordedTable table() const;  // with all that was added, from the first reading on

    // In the order of time. Readings of other columns than the table's, and from before its begin, are left out.
    std::string rows(const RecordedTable&) const;

private:
    struct Reading {
        std::int64_t at_us{};
        std::uint32_t queue{};
        Column column{};
        std::uint64_t value{};
    };

    std::vector<Reading> sorted() const;
    std::string row(const Reading* begin, const Reading* end, const RecordedTable&) const;

    std::map<RecordedQueue, std::uint32_t> numbers_;
    std::vector<const RecordedQueue*> queues_;
    std::vector<Reading> readings_;
};

}  // namespace petrel::codec
