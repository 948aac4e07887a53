// The columns of a trace, by name, and how each cell is read. Shared by CSV and JSON lines, which only locate the
// cells.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/complaint_list.hpp"
#include "codec/text_lines.hpp"
#include "watchdog/observation.hpp"

namespace petrel::codec {

// From first_field on, one column per watchdog::Field, in that order.
enum class Column : std::uint8_t { time_us, port, queue, device, link_up, speed_bps, sampled_us, first_field };

inline constexpr std::size_t kColumns = static_cast<std::size_t>(Column::first_field) + watchdog::kFields;

constexpr std::size_t index(Column c) { return static_cast<std::size_t>(c); }
constexpr Column column_of(watchdog::Field f)
{
    return static_cast<Column>(index(Column::first_field) + static_cast<std::size_t>(f));
}

std::span<const std::string_view> column_names();
std::optional<Column> column_from_name(std::string_view);

struct Cell {
    std::string_view text;  // without quotes and escapes; empty = the device does not report it
    const char* at{};       // its position in the line; null = there is no such cell
};
using Cells = std::array<Cell, kColumns>;

struct TraceRow {
    std::string_view device;
    std::string_view port;
    std::optional<Priority> priority;
    std::int64_t time_us{};
    std::optional<bool> link_up;
    std::uint64_t speed_bps{};  // zero = not given
    watchdog::Sample sample;    // all but slot and epoch, which need the other rows
};

// A value as the text of a cell; that of `pause_state` is a watchdog::PauseState.
std::string cell_text(Column, std::uint64_t value);

// Adds a complaint about every invalid cell. Returns none if there was one, or if time or port are missing.
std::optional<TraceRow> read_cells(const Cells&, const Line&, ComplaintList&);

}  // namespace petrel::codec
