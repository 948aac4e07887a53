#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sonic_tools/json_document.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/pfcwd_tables.hpp"
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

// Two counters that are shown as one.
struct StatColumn {
    std::string_view title;
    std::array<std::string_view, 2> names;
    std::array<std::string, 2> fields;
};

const std::array<StatColumn, 5>& stat_columns()
{
    static const std::array<StatColumn, 5> columns{
        {{"STORM DETECTED/RESTORED",
          {"detected", "restored"},
          {"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED"}},
         {"TX OK/DROP",
          {"tx_ok", "tx_drop"},
          {"PFC_WD_QUEUE_STATS_TX_PACKETS", "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS"}},
         {"RX OK/DROP",
          {"rx_ok", "rx_drop"},
          {"PFC_WD_QUEUE_STATS_RX_PACKETS", "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS"}},
         {"TX LAST OK/DROP",
          {"tx_ok_last", "tx_drop_last"},
          {"PFC_WD_QUEUE_STATS_TX_PACKETS_LAST", "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS_LAST"}},
         {"RX LAST OK/DROP",
          {"rx_ok_last", "rx_drop_last"},
          {"PFC_WD_QUEUE_STATS_RX_PACKETS_LAST", "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS_LAST"}}}};
    return columns;
}

struct Queue {
    std::string name;
    std::string key;  // in COUNTERS_DB
    Hash counters;

    std::string status() const { return field(counters, "PFC_WD_STATUS", "N/A"); }
    bool stormed() const { return status() == "stormed"; }
};

std::vector<Queue> queues_of(const std::vector<std::string>& wanted, Display shown, Tables& tables)
{
    const auto ids = tables.hash(Db::counters, "COUNTERS_QUEUE_NAME_MAP");
    std::vector<std::string> known;
    for (const auto& [name, id] : ids) {
        known.push_back(name);
    }
    need_known(wanted, known);
    std::vector<Queue> queues;
    std::vector<std::string> keys;
    for (const auto& name : means_all(wanted) ? only_shown(tables, std::move(known), shown) : wanted) {
        keys.push_back("COUNTERS:" + ids.at(name));
        queues.push_back({name, keys.back(), {}});
    }
    auto counters = tables.hashes(Db::counters, keys);
    for (std::size_t i = 0; i != queues.size(); ++i) {
        queues[i].counters = std::move(counters[i]);
    }
    return queues;
}

std::vector<std::string> cells_of(const Queue& queue)
{
    std::vector<std::string> cells{queue.name, queue.status()};
    for (const auto& column : stat_columns()) {
        cells.push_back(fmt::format("{}/{}", field(queue.counters, column.fields[0], "0"),
                                    field(queue.counters, column.fields[1], "0")));
    }
    return cells;
}

bool without_any(const Queue& queue)
{
    const auto cells = cells_of(queue);
    return std::all_of(cells.begin() + 2, cells.end(), [](const auto& cell) { return cell == "0/0"; });
}

std::string stats_text(const std::vector<Queue>& queues)
{
    SimpleTable table{{"QUEUE", "STATUS"}, {}, SimpleTable::Words::right};
    for (const auto& column : stat_columns()) {
        table.heading.emplace_back(column.title);
    }
    std::transform(queues.begin(), queues.end(), std::back_inserter(table.rows), cells_of);
    return to_text(table);
}

std::string stats_json(const std::vector<Queue>& queues)
{
    std::vector<Members> rows;
    for (const auto& queue : queues) {
        auto& row = rows.emplace_back(Members{{"queue", queue.name}, {"status", queue.status()}});
        for (const auto& column : stat_columns()) {
            for (std::size_t i = 0; i != column.names.size(); ++i) {
                row.emplace_back(column.names[i], field(queue.counters, column.fields[i], "0"));
            }
        }
    }
    return json_document({}, "queues", rows);
}

using Entries = std::vector<std::pair<std::string, Hash>>;

Entries configured_ports(const std::vector<std::string>& ports, Tables& tables)
{
    std::vector<std::string> keys;
    std::transform(ports.begin(), ports.end(), std::back_inserter(keys), watch_key);
    auto hashes = tables.hashes(Db::config, keys);
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
    if (!entries.empty() && global.contains(kPollInterval)) {
        text += fmt::format("Changed polling interval to {}ms\n", field(global, kPollInterval));
    }
    if (!entries.empty() && global.contains(kBigRedSwitch)) {
        text += fmt::format("BIG_RED_SWITCH status is {}\n", field(global, kBigRedSwitch));
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
    Members head;
    if (global.contains(kPollInterval)) {
        head.emplace_back("poll_interval", field(global, kPollInterval));
    }
    if (global.contains(kBigRedSwitch)) {
        head.emplace_back("big_red_switch", field(global, kBigRedSwitch));
    }
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
    auto queues = queues_of(given.words("QUEUES"), display(given), desk.tables);
    if (given.has("--check-storm")) {
        const bool storm = std::any_of(queues.begin(), queues.end(), [](const auto& queue) { return queue.stormed(); });
        return {{}, {}, storm ? 1 : 0};
    }
    if (!given.has("--empty")) {
        std::erase_if(queues, without_any);
    }
    return {given.has("--json") ? stats_json(queues) : stats_text(queues), {}, 0};
}

// A storm's counters are being counted on: they are set to zero when it is over.
Outcome clear_stats(const Given& given, Desk& desk)
{
    need_writer(desk);
    const auto queues = queues_of(given.words("QUEUES"), Display::all, desk.tables);
    Hash zero;
    for (const auto& column : stat_columns()) {
        for (const auto& name : column.fields) {
            zero[name] = "0";
        }
    }
    Outcome outcome;
    std::vector<Change> changes;
    for (const auto& queue : queues) {
        if (queue.stormed()) {
            outcome.out += fmt::format("SKIPPED: storm on queue: {}\n", queue.name);
        } else if (!without_any(queue)) {
            changes.push_back({Change::Kind::set, queue.key, zero});
        }
    }
    desk.tables.apply(Db::counters, changes);
    return outcome;
}

}  // namespace petrel::sonic_tools
