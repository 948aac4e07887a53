#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/complaint_text.hpp"
#include "sonic_tools/json_document.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/pfcwd_tables.hpp"
#include "sonic_tools/queue_stats.hpp"
#include "sonic_tools/simple_table.hpp"

namespace petrel::sonic_tools {
namespace {

struct ConfigColumn {
    std::string_view title;
    std::string field;
    std::string_view none;
};

const std::array<ConfigColumn, 4>& config_columns()
{
    static const std::array<ConfigColumn, 4> columns{{{"ACTION", "action", "drop"},
                                                      {"DETECTION TIME", "detection_time", "N/A"},
                                                      {"RESTORATION TIME", "restoration_time", "infinite"},
                                                      {"HISTORY", "pfc_stat_history", "disable"}}};
    return columns;
}

std::vector<std::string> cells_of_queue(const Queue& queue)
{
    std::vector<std::string> cells{queue.name, queue.status()};
    for (const auto& column : stat_columns()) {
        cells.push_back(fmt::format("{}/{}", queue.count(column.fields[0]), queue.count(column.fields[1])));
    }
    return cells;
}

std::string stats_text(const std::vector<Queue>& queues)
{
    SimpleTable table{{"QUEUE", "STATUS"}, {}, SimpleTable::Words::right};
    for (const auto& column : stat_columns()) {
        table.heading.emplace_back(column.title);
    }
    std::transform(queues.begin(), queues.end(), std::back_inserter(table.rows), cells_of_queue);
    return to_text(table);
}

std::string stats_json(const std::vector<Queue>& queues)
{
    std::vector<Members> rows;
    for (const auto& queue : queues) {
        auto& row = rows.emplace_back(Members{{"queue", queue.name}, {"status", queue.status()}});
        for (const auto& column : stat_columns()) {
            for (std::size_t i = 0; i != column.names.size(); ++i) {
                row.emplace_back(column.names[i], queue.count(column.fields[i]));
            }
        }
    }
    return json_document({}, "queues", rows);
}

// fast-reboot runs this and aborts on exit code 1. A switch without a queue map has no queue that could be stormed, so
// the exit code is 0 there, as of SONiC's own command; the note is for the operator.
Outcome check_storm(const std::vector<Queue>& queues)
{
    if (queues.empty()) {
        return {{}, "No queue was checked for a storm: COUNTERS_QUEUE_NAME_MAP in COUNTERS_DB has no queue\n", 0};
    }
    const bool storm = std::any_of(queues.begin(), queues.end(), [](const auto& queue) { return queue.stormed(); });
    return {{}, {}, storm ? 1 : 0};
}

Entries configured_ports(const std::vector<std::string>& ports, Tables& tables)
{
    auto hashes = tables.hashes(Db::config, watch_keys(ports));
    Entries entries;
    for (std::size_t i = 0; i != ports.size(); ++i) {
        if (!hashes[i].empty()) {
            entries.emplace_back(ports[i], std::move(hashes[i]));
        }
    }
    return entries;
}

// The first two lines come only with ports, and nothing was changed: scripts know them so.
std::string config_text(const Entries& entries, const Hash& global)
{
    std::string text;
    if (!entries.empty() && global.contains(kPollInterval.name)) {
        text += fmt::format("Changed polling interval to {}ms\n", excerpt(field(global, kPollInterval.name)));
    }
    if (!entries.empty() && global.contains(kBigRedSwitch)) {
        text += fmt::format("BIG_RED_SWITCH status is {}\n", excerpt(field(global, kBigRedSwitch)));
    }
    SimpleTable table{{"PORT"}, {}, SimpleTable::Words::right};
    for (const auto& column : config_columns()) {
        table.heading.emplace_back(column.title);
    }
    for (const auto& [port, entry] : entries) {
        auto& row = table.rows.emplace_back(std::vector{port});
        for (const auto& column : config_columns()) {
            row.push_back(field(entry, column.field, column.none));
        }
    }
    return text + to_text(table);
}

std::string config_json(const Entries& entries, const Hash& global)
{
    const Members head{{"poll_interval", field(global, kPollInterval.name, fmt::format("{}", kUsualInterval_ms))},
                       {"big_red_switch", field(global, kBigRedSwitch, "disable")}};
    std::vector<Members> rows;
    for (const auto& [port, entry] : entries) {
        auto& row = rows.emplace_back(Members{{"port", port}});
        for (const auto& column : config_columns()) {
            row.emplace_back(column.field, field(entry, column.field, column.none));
        }
    }
    return json_document(head, "ports", rows);
}

}  // namespace

Outcome show_config(const Given& given, Desk& desk)
{
    const auto wanted = given.words("PORTS");
    const auto known = physical_ports(desk.tables, means_all(wanted) ? display(given) : Display::all);
    need_known(wanted, known);
    const auto entries = configured_ports(means_all(wanted) ? known : wanted, desk.tables);
    const auto global = desk.tables.hash(Db::config, watch_key(kGlobal));
    return {given.has("--json") ? config_json(entries, global) : config_text(entries, global), {}, 0};
}

Outcome show_stats(const Given& given, Desk& desk)
{
    auto queues = read_queues(desk.tables, given.words("QUEUES"), display(given));
    if (given.has("--check-storm")) {
        return check_storm(queues);
    }
    if (!given.has("--empty")) {
        std::erase_if(queues, [](const Queue& queue) { return queue.without_any(); });
    }
    return {given.has("--json") ? stats_json(queues) : stats_text(queues), {}, 0};
}

}  // namespace petrel::sonic_tools
