#include "codec/import/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/complaint_text.hpp"
#include "base/csv_cell.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::codec {

std::string RecordedTable::header() const
{
    auto text = fmt::format("# time_us 0 is {}\ntime_us,{}port,queue",
                            wire::utc_text(WallTime{std::chrono::microseconds{begin_us}}), devices ? "device," : "");
    for (const auto column : columns) {
        text += ',';
        text += column_names()[index(column)];
    }
    return text + '\n';
}

void Recording::add(const RecordedQueue& queue, std::int64_t at_us, Column column, std::uint64_t value)
{
    const auto [at, is_new] = numbers_.try_emplace(queue, static_cast<std::uint32_t>(queues_.size()));
    if (is_new) {
        queues_.push_back(&at->first);
    }
    const bool flag = column == Column::link_up || column == column_of(watchdog::Field::paused_now);
    readings_.push_back({at_us, at->second, column, flag && value != 0 ? 1 : value});
}

RecordedTable Recording::table() const
{
    RecordedTable table;
    std::set<Column> columns;
    for (const auto& reading : readings_) {
        table.begin_us = columns.empty() ? reading.at_us : std::min(table.begin_us, reading.at_us);
        columns.insert(reading.column);
    }
    table.columns.assign(columns.begin(), columns.end());
    table.devices = std::ranges::any_of(queues_, [](const auto* queue) { return !queue->device.empty(); });
    return table;
}

std::string Recording::rows(const RecordedTable& table) const
{
    const auto all = sorted();
    std::string text;
    const auto* const last = all.data() + all.size();
    for (const auto* begin = all.data(); begin != last;) {
        const auto* end = std::find_if(
            begin, last, [&](const Reading& one) { return one.at_us != begin->at_us || one.queue != begin->queue; });
        if (begin->at_us >= table.begin_us) {
            text += row(begin, end, table);
        }
        begin = end;
    }
    return text;
}

std::vector<Recording::Reading> Recording::sorted() const
{
    std::vector<std::uint32_t> order(readings_.size());
    for (std::uint32_t i = 0; i != order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::sort(order, {}, [&](std::uint32_t i) {
        const auto& one = readings_[i];
        return std::tuple{one.at_us, one.queue, one.column, i};
    });
    std::vector<Reading> sorted;
    sorted.reserve(readings_.size());
    for (const auto i : order) {
        const auto& next = readings_[i];
        const bool again = !sorted.empty() && sorted.back().at_us == next.at_us && sorted.back().queue == next.queue &&
                           sorted.back().column == next.column;
        if (again) {
            sorted.pop_back();
        }
        sorted.push_back(next);
    }
    return sorted;
}

std::string Recording::row(const Reading* begin, const Reading* end, const RecordedTable& table) const
{
    const auto& queue = *queues_[begin->queue];
    auto text = fmt::format("{},", begin->at_us - table.begin_us);
    if (table.devices) {
        text += csv_cell(escaped(queue.device)) + ',';
    }
    text += csv_cell(escaped(queue.port)) + ',';
    text += queue.priority ? fmt::format("{}", *queue.priority) : "";
    for (const auto column : table.columns) {
        text += ',';
        while (begin != end && begin->column < column) {
            ++begin;
        }
        if (begin == end || begin->column != column) {
            continue;
        }
        const auto begin_us = static_cast<std::uint64_t>(table.begin_us);
        if (column != Column::sampled_us) {
            text += cell_text(column, begin->value);
        } else if (begin->value >= begin_us) {
            text += cell_text(column, begin->value - begin_us);
        }
    }
    return text + '\n';
}

}  // namespace petrel::codec
