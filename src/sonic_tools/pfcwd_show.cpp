#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/complaint_text.hpp"
#include "sonic/policy_overrides.hpp"
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

std::string stats_text(const std::vector<OfAsic<Queue>>& asics)
{
    SimpleTable table{{"QUEUE", "STATUS"}, {}, SimpleTable::TextAlign::right};
    for (const auto& column : stat_columns()) {
        table.heading.emplace_back(column.title);
    }
    for (const auto& [tables, queues] : asics) {
        std::transform(queues.begin(), queues.end(), std::back_inserter(table.rows), cells_of_queue);
    }
    return to_text(table);
}

std::string stats_json(const Tables& tables, const std::vector<Queue>& queues)
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
    return json_document(json_head(tables), "queues", rows);
}

// fast-reboot runs this and aborts on exit code 1. A switch without a queue map has no queue that could be stormed, so
// the exit code is 0 there, as of SONiC's own command; the note is for the operator.
Outcome check_storm(const std::vector<OfAsic<Queue>>& asics, bool all)
{
    Outcome outcome;
    for (const auto& [tables, queues] : asics) {
        if (queues.empty() && all) {
            outcome.err +=
                fmt::format("No queue{} was checked for a storm: COUNTERS_QUEUE_NAME_MAP in COUNTERS_DB has no queue\n",
                            tables->named(" of "));
        }
        if (std::any_of(queues.begin(), queues.end(), [](const auto& queue) { return queue.stormed(); })) {
            outcome.exit_code = 1;
        }
    }
    return outcome;
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

struct ConfigOfAsic {
    const Tables* tables{};
    Entries entries;
    Hash global;
    Hash overrides;  // by port: its policy in the agent's file
};

// Of these ports: those whose policy is in the agent's file.
Hash overridden_ports(const std::vector<std::string>& ports, Tables& tables)
{
    auto overrides = tables.hash(Db::state, sonic::kOverridesKey);
    std::erase_if(overrides,
                  [&](const auto& of_port) { return std::ranges::find(ports, of_port.first) == ports.end(); });
    return overrides;
}

std::string override_lines(const ConfigOfAsic& asic)
{
    std::map<std::string, std::vector<std::string>> by_policy;
    for (const auto& [port, policy] : asic.overrides) {
        by_policy[policy].push_back(excerpt(port));
    }
    std::string text;
    for (const auto& [policy, ports] : by_policy) {
        text += fmt::format("The agent's file configures {}{}: {}\n", fmt::join(ports, ", "),
                            asic.tables->named(" on "), excerpt(policy));
    }
    return text;
}

// SONiC prints these two lines only if ports follow, and prints "Changed" although it changes nothing.
std::string global_lines(const ConfigOfAsic& asic)
{
    std::string text;
    const auto on = asic.tables->named(" on ");
    if (!asic.entries.empty() && asic.global.contains(kPollInterval.name)) {
        text +=
            fmt::format("Changed polling interval to {}ms{}\n", excerpt(field(asic.global, kPollInterval.name)), on);
    }
    if (!asic.entries.empty() && asic.global.contains(kBigRedSwitch)) {
        text += fmt::format("BIG_RED_SWITCH status is {}{}\n", excerpt(field(asic.global, kBigRedSwitch)), on);
    }
    return text;
}

std::string config_text(const std::vector<ConfigOfAsic>& asics)
{
    std::string text;
    SimpleTable table{{"PORT"}, {}, SimpleTable::TextAlign::right};
    for (const auto& column : config_columns()) {
        table.heading.emplace_back(column.title);
    }
    for (const auto& asic : asics) {
        text += global_lines(asic);
        for (const auto& [port, entry] : asic.entries) {
            auto& row = table.rows.emplace_back(std::vector{port});
            for (const auto& column : config_columns()) {
                row.push_back(field(entry, column.field, column.none));
            }
        }
    }
    text += to_text(table);
    for (const auto& asic : asics) {
        text += override_lines(asic);
    }
    return text;
}

std::string config_json(const ConfigOfAsic& asic)
{
    const auto& [tables, entries, global, overrides] = asic;
    auto head = json_head(*tables);
    head.emplace_back("poll_interval", field(global, kPollInterval.name, fmt::format("{}", kUsualInterval_ms)));
    head.emplace_back("big_red_switch", field(global, kBigRedSwitch, "disable"));
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
    const auto wanted = given.values("PORTS");
    const auto shown = means_all(wanted) ? display(given, desk) : Display::all;
    std::vector<ConfigOfAsic> asics;
    for (const auto& [tables, ports] :
         meant_ports(shown_asics(desk, shown), wanted, [&](Tables& one) { return physical_ports(one, shown); })) {
        asics.push_back({tables, configured_ports(ports, *tables), tables->hash(Db::config, watch_key(kGlobal)),
                         overridden_ports(ports, *tables)});
    }
    if (!given.has("--json")) {
        return {config_text(asics), {}, 0};
    }
    Outcome outcome;
    for (const auto& asic : asics) {
        outcome.out += config_json(asic);
    }
    return outcome;
}

// A storm on an internal port is a storm, too: unless the operator chooses ports, --check-storm checks all of them.
Outcome show_stats(const Given& given, Desk& desk)
{
    const auto wanted = given.values("QUEUES");
    const bool check = given.has("--check-storm");
    const auto shown = check && !given.has("--display") ? Display::all : display(given, desk);
    auto asics = read_queues(desk, wanted, shown);
    if (check) {
        return check_storm(asics, means_all(wanted));
    }
    Outcome outcome;
    for (auto& [tables, queues] : asics) {
        if (!given.has("--empty")) {
            std::erase_if(queues, [](const Queue& queue) { return queue.without_any(); });
        }
        outcome.out += given.has("--json") ? stats_json(*tables, queues) : "";
    }
    return given.has("--json") ? outcome : Outcome{stats_text(asics), {}, 0};
}

}  // namespace petrel::sonic_tools
