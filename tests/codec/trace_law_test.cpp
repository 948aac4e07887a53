// Laws of the trace reader over random recordings: data is the same after writing and reading, in both formats, with
// any order of columns.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "codec/trace_columns.hpp"
#include "codec/trace_reader.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

// A row as text, by column name; absent = an empty cell.
using TextRow = std::map<std::string, std::string>;

std::string random_value(const std::string& column)
{
    if (column == "device" || column == "port") {
        return *rc::gen::element<std::string>("a", "b", "a b", "c,\"d\"", "Grün");
    }
    if (column == "queue") {
        return fmt::format("{}", *rc::gen::inRange(0, 8));
    }
    if (column == "link_up" || column == "paused_now") {
        return *rc::gen::element<std::string>("0", "1", "true", "false");
    }
    if (column == "pause_state") {
        return *rc::gen::element<std::string>("not_paused", "paused", "paused_not_continuous");
    }
    if (column == "pause_timeout") {
        return fmt::format("0x{:x}", *rc::gen::arbitrary<std::uint64_t>());
    }
    if (column == "sampled_us") {
        return fmt::format("{}", *rc::gen::inRange<std::uint64_t>(0, 9'000'000'000'000'000));
    }
    return fmt::format("{}", *rc::gen::arbitrary<std::uint64_t>());
}

// Time grows from row to row, so that no queue goes back in time.
std::vector<TextRow> random_rows()
{
    std::vector<TextRow> rows(*rc::gen::inRange<std::size_t>(1, 12));
    int time_us = 0;
    for (auto& row : rows) {
        row["time_us"] = fmt::format("{}", time_us += *rc::gen::inRange(1, 1'000));
        row["port"] = random_value("port");
        for (const auto name : column_names()) {
            if (name != "time_us" && name != "port" && *rc::gen::arbitrary<bool>()) {
                row[std::string{name}] = random_value(std::string{name});
            }
        }
    }
    return rows;
}

std::string with_doubled_quotes(std::string text)
{
    for (auto at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2)) {
        text.insert(at, 1, '"');
    }
    return text;
}

std::string as_csv(const std::vector<TextRow>& rows, const std::vector<std::string>& columns)
{
    auto text = fmt::format("{}\n", fmt::join(columns, ","));
    for (auto row : rows) {
        std::vector<std::string> cells;
        for (const auto& column : columns) {
            cells.push_back(row[column].find_first_of(",\"") == std::string::npos
                                ? row[column]
                                : fmt::format("\"{}\"", with_doubled_quotes(row[column])));
        }
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

std::string as_json_lines(const std::vector<TextRow>& rows)
{
    std::string text;
    for (const auto& row : rows) {
        std::vector<std::string> members;
        for (const auto& [column, value] : row) {
            const bool bare =
                column != "port" && column != "device" && column != "pause_state" && column != "pause_timeout";
            auto escaped = value;
            for (auto at = escaped.find('"'); at != std::string::npos; at = escaped.find('"', at + 2)) {
                escaped.insert(at, 1, '\\');
            }
            members.push_back(fmt::format("\"{}\": {}{}{}", column, bare ? "" : "\"", escaped, bare ? "" : "\""));
        }
        text += fmt::format("{{{}}}\n", fmt::join(members, ", "));
    }
    return text;
}

std::vector<std::string> shuffled_columns()
{
    std::vector<std::string> columns{column_names().begin(), column_names().end()};
    for (std::size_t i = columns.size(); i > 1; --i) {
        std::swap(columns[i - 1], columns[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    return columns;
}

// The whole content of a trace as text, for comparison.
std::string text_of(const device::Trace& trace)
{
    std::string text;
    for (const auto& device : trace.devices) {
        text += fmt::format("{} {:x} {:x}\n", device.device, device.capabilities.fields, device.capabilities.survive);
        for (const auto& row : device.inventory.rows) {
            text += fmt::format("  {} {}\n", to_string(device.inventory, row.target), row.speed.bps);
        }
        for (std::size_t i = 0; i < device.samples.size(); ++i) {
            const auto& sample = device.samples[i];
            text += fmt::format("  {} {} {} {:x} {} {} {} {}\n", device.time_us[i], sample.slot.value,
                                whole_us(sample.read_at), sample.known, sample.epoch,
                                static_cast<int>(sample.pause_state), sample.paused_now, fmt::join(sample.raw, " "));
        }
    }
    return text;
}

std::string read(const std::string& text)
{
    const auto trace = read_trace(text, "t");
    return trace ? text_of(*trace) : golden::lines(trace.error());
}

RC_GTEST_PROP(TraceLaw, BothFormatsAndAnyOrderOfColumnsGiveTheSameTrace, ())
{
    const auto rows = random_rows();
    const auto csv = as_csv(rows, {column_names().begin(), column_names().end()});
    RC_ASSERT(read_trace(csv, "t").has_value());
    RC_ASSERT(read(csv) == read(as_json_lines(rows)));
    RC_ASSERT(read(csv) == read(as_csv(rows, shuffled_columns())));
}

RC_GTEST_PROP(TraceLaw, TheValueReadIsTheValueWritten, ())
{
    const auto rows = random_rows();
    const auto trace = read_trace(as_csv(rows, shuffled_columns()), "t");
    RC_ASSERT(trace.has_value());
    std::size_t samples = 0;
    for (const auto& device : trace->devices) {
        for (std::size_t i = 0; i < device.samples.size(); ++i, ++samples) {
            const auto row = std::find_if(rows.begin(), rows.end(), [&](const TextRow& candidate) {
                return candidate.at("time_us") == std::to_string(device.time_us[i]);
            });
            RC_ASSERT(row != rows.end());
            const auto& sample = device.samples[i];
            for (std::size_t f = 0; f < watchdog::kFields; ++f) {
                const auto field = static_cast<watchdog::Field>(f);
                const auto cell = row->find(std::string{watchdog::name(field)});
                RC_ASSERT(watchdog::has(sample.known, field) == (cell != row->end()));
                if (cell != row->end() && !watchdog::has(watchdog::kLevels, field)) {
                    RC_ASSERT(std::to_string(sample[field]) == cell->second);
                }
            }
        }
    }
    RC_ASSERT(samples == rows.size());
}

// Only the times of each queue matter, not the order of queues in the file.
RC_GTEST_PROP(TraceLaw, SortingByQueueOrByTimeGivesTheSameTrace, ())
{
    auto rows = random_rows();
    for (auto& row : rows) {
        row["device"] = "d";
        row["port"] = "p";
        row["queue"] = fmt::format("{}", *rc::gen::inRange(0, 3));
    }
    const std::vector<std::string> columns{column_names().begin(), column_names().end()};
    const auto by_look = read(as_csv(rows, columns));
    std::vector<TextRow> by_queue;
    for (const auto* queue : {"0", "1", "2"}) {
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(by_queue),
                     [&](const auto& row) { return row.at("queue") == queue; });
    }
    RC_ASSERT(by_queue.size() == rows.size());
    RC_ASSERT(read(as_csv(by_queue, columns)) == by_look);
}

}  // namespace
}  // namespace petrel::codec
