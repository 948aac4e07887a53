// What the names of other tools' counters mean in a trace: SAI's names, the columns of a trace, and those that a
// mapping file lists (docs/import.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/complaint_list.hpp"
#include "base/result.hpp"
#include "codec/trace_columns.hpp"

namespace petrel::codec {

struct CounterMeaning {
    Column column{};
    std::optional<std::uint8_t> priority;  // from the name
    double times{1};                       // their unit in ours
};

// SAI_PORT_STAT_PFC_3_RX_PKTS, in capital or small letters.
std::optional<CounterMeaning> sai_counter(std::string_view name);

// A value of another tool: a whole number, a number that is rounded, true or false. None: there is no value ("", "N/A",
// "NaN", "-"). An error if it is none of these.
Result<std::optional<std::uint64_t>> recorded_value(std::string_view text, double times);

enum class TimeUnit : std::uint8_t { guessed, s, ms, us, ns };

// Microseconds since 1970 from a time as text or as a number.
std::optional<std::int64_t> recorded_time(std::string_view text, TimeUnit);

struct CounterMap {
    struct Entry {
        std::string name;  // a # stands for the priority
        CounterMeaning meaning;
    };

    std::string time;  // the column with the time
    TimeUnit time_unit{};
    std::string device;  // the column or label; empty = a usual name
    std::string port;
    std::string queue;
    std::vector<Entry> entries;

    std::optional<CounterMeaning> find(std::string_view name) const;
};

Parsed<CounterMap> read_counter_map(std::string_view text, std::string_view file);

}  // namespace petrel::codec
