#include "codec/trace_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/complaint_text.hpp"

namespace petrel::codec {

namespace {

using watchdog::Field;
using watchdog::PauseState;

const std::array<std::string_view, kColumns>& names()
{
    static const auto all = [] {
        std::array<std::string_view, kColumns> table{"time_us", "port",      "queue",     "device",
                                                     "link_up", "speed_bps", "sampled_us"};
        for (std::size_t f = 0; f < watchdog::kFields; ++f) {
            table[index(column_of(static_cast<Field>(f)))] = watchdog::name(static_cast<Field>(f));
        }
        return table;
    }();
    return all;
}

constexpr std::array<std::string_view, 3> kPauseStates{"not_paused", "paused", "paused_not_continuous"};

// In nanoseconds this still fits 64 bits, with years to spare for deadlines.
constexpr std::uint64_t kLastUs = 9'000'000'000'000'000;
constexpr std::uint64_t kMostU64 = std::numeric_limits<std::uint64_t>::max();

// Reads the cells of one row one after the other and records whether all of them were valid.
class RowReader {
public:
    RowReader(const Cells& cells, const Line& line, ComplaintList& complaints)
        : cells_(cells), line_(line), complaints_(complaints)
    {}

    bool ok() const { return ok_; }

    std::string_view text(Column c) const { return cells_[index(c)].text; }
    bool has(Column c) const { return !text(c).empty(); }

    void complain(Column c, std::string allowed)
    {
        ok_ = false;
        if (c != Column::time_us && c != Column::port) {
            allowed += ", or empty";
        }
        complaints_.add(line_.place(cells_[index(c)].at), text(c), std::move(allowed));
    }

    std::uint64_t number(Column c, std::uint64_t most)
    {
        std::uint64_t value{};
        if (!whole(text(c), value, 10) || value > most) {
            complain(c, fmt::format("0..{}", most));
        }
        return value;
    }

    std::uint64_t hex(Column c)
    {
        auto digits = text(c);
        if (digits.starts_with("0x") || digits.starts_with("0X")) {
            digits.remove_prefix(2);
        }
        std::uint64_t value{};
        if (!whole(digits, value, 16)) {
            complain(c, fmt::format("hex 0..{:x}", kMostU64));
        }
        return value;
    }

    bool flag(Column c)
    {
        const auto word = text(c);
        const bool yes = word == "1" || word == "true";
        if (!yes && word != "0" && word != "false") {
            complain(c, "0, 1, true or false");
        }
        return yes;
    }

    PauseState pause_state(Column c)
    {
        const auto at = std::find(kPauseStates.begin(), kPauseStates.end(), text(c));
        if (at == kPauseStates.end()) {
            complain(c, fmt::format("{}", fmt::join(kPauseStates, ", ")));
            return {};
        }
        return static_cast<PauseState>(at - kPauseStates.begin());
    }

private:
    static bool whole(std::string_view text, std::uint64_t& value, int base)
    {
        const auto* end = text.data() + text.size();
        const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
        return error == std::errc{} && stopped == end;
    }

    const Cells& cells_;
    const Line& line_;
    ComplaintList& complaints_;
    bool ok_{true};
};

void read_field(RowReader& reader, Field field, watchdog::Sample& sample)
{
    const auto column = column_of(field);
    if (!reader.has(column)) {
        return;
    }
    sample.known |= bit(field);
    switch (field) {
    case Field::pause_state: sample.pause_state = reader.pause_state(column); break;
    case Field::paused_now: sample.paused_now = reader.flag(column); break;
    case Field::pause_timeout: sample[field] = reader.hex(column); break;
    default: sample[field] = reader.number(column, kMostU64);
    }
}

}  // namespace

std::span<const std::string_view> column_names() { return names(); }

std::optional<Column> column_from_name(std::string_view name)
{
    const auto& all = names();
    const auto at = std::find(all.begin(), all.end(), name);
    return at == all.end() ? std::nullopt : std::optional{static_cast<Column>(at - all.begin())};
}

std::string cell_text(Column column, std::uint64_t value)
{
    if (column == column_of(Field::pause_state)) {
        return std::string{kPauseStates.at(value)};
    }
    return column == column_of(Field::pause_timeout) ? fmt::format("{:#x}", value) : fmt::format("{}", value);
}

std::optional<TraceRow> read_cells(const Cells& cells, const Line& line, ComplaintList& complaints)
{
    RowReader reader{cells, line, complaints};
    const auto exists = [&cells](Column c) { return cells[index(c)].at != nullptr; };
    std::optional<TraceRow> result{std::in_place};
    auto& row = *result;
    if (exists(Column::time_us)) {
        row.time_us = static_cast<std::int64_t>(reader.number(Column::time_us, kLastUs));
    }
    if (exists(Column::port) && !reader.has(Column::port)) {
        reader.complain(Column::port, "a port name");
    }
    for (const auto name : {Column::port, Column::device}) {
        if (!printable(reader.text(name))) {
            reader.complain(name, "a name without control characters");
        }
    }
    row.port = reader.text(Column::port);
    row.device = reader.text(Column::device);
    if (reader.has(Column::queue)) {
        row.priority = Priority{static_cast<std::uint8_t>(reader.number(Column::queue, kPriorities - 1))};
    }
    if (reader.has(Column::link_up)) {
        row.link_up = reader.flag(Column::link_up);
    }
    if (reader.has(Column::speed_bps)) {
        row.speed_bps = reader.number(Column::speed_bps, kMostU64);
    }
    auto stamp_us = row.time_us;
    if (reader.has(Column::sampled_us)) {
        stamp_us = static_cast<std::int64_t>(reader.number(Column::sampled_us, kLastUs));
    }
    for (std::size_t f = 0; f < watchdog::kFields; ++f) {
        read_field(reader, static_cast<Field>(f), row.sample);
    }
    if (!reader.ok() || !exists(Column::time_us) || !exists(Column::port)) {
        return std::nullopt;
    }
    row.sample.read_at = instant_from_us(stamp_us);
    return result;
}

}  // namespace petrel::codec
