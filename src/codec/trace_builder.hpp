// Gathers the rows of a trace, in the order of the file, into inventory, capabilities and samples by time for each
// device. Separate from the readers because it handles time and rows, not text.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/trace_columns.hpp"
#include "device/replay/trace.hpp"

namespace petrel::codec {

class TraceBuilder {
public:
    // A row that does not fit the rows before it: the cell, and its allowed values.
    struct Misfit {
        Column column{};
        std::string allowed;
    };

    std::optional<Misfit> add(const TraceRow&);
    device::Trace finish() &&;

private:
    struct HashText {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using Numbers = std::unordered_map<std::string, std::uint32_t, HashText, std::equal_to<>>;

    static constexpr std::uint32_t kNone = 0xffffffffU;
    static constexpr std::size_t kPortLevel = 0;  // position of the port-level row of a port; priority p is at p + 1

    struct Port {
        std::string name;
        std::array<std::uint32_t, kPriorities + 1> rows;  // kNone = not in the trace
    };
    struct Row {
        std::uint32_t port{};
        std::optional<Priority> priority;
        std::int64_t last_us{};
    };
    // The link state in a row.
    struct Link {
        std::uint64_t speed_bps{};
        std::optional<bool> up;
    };
    struct Gathered {
        std::string name;
        Numbers port_numbers;
        std::vector<Port> ports;
        std::vector<Row> rows;  // in order of first appearance; until finish(), samples[i].slot is an index into this
        std::vector<watchdog::Sample> samples;
        std::vector<std::int64_t> time_us;
        std::vector<Link> links;
    };

    static void sort_by_time(Gathered&);
    static device::DeviceTrace finish_device(Gathered&&, DeviceId);
    static void set_epochs(const Gathered&, device::DeviceTrace&);

    Numbers device_numbers_;
    std::vector<Gathered> devices_;
};

// Reads the cells of one row and adds the row, or adds complaints.
void add_cells(const Cells&, const Line&, TraceBuilder&, ComplaintList&);

}  // namespace petrel::codec
