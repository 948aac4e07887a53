#include "sonic_tools/pfc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/complaint_text.hpp"
#include "sonic_tools/desk.hpp"
#include "sonic_tools/json_document.hpp"
#include "sonic_tools/simple_table.hpp"

namespace petrel::sonic_tools {
namespace {

using Count = Argument::Count;

constexpr auto kQosMap = "PORT_QOS_MAP";

using Interfaces = std::vector<std::pair<std::string, Hash>>;  // by port

[[noreturn]] void refuse(const std::string& line) { throw Stop{{line + '\n', {}, 1}}; }

std::string cannot_find(Desk& desk, std::string_view port)
{
    std::string where;
    for (const auto& tables : desk.asics()) {
        where += tables.named(where.empty() ? " for namespace " : ", ");
    }
    return fmt::format("Cannot find interface {}{}", excerpt(port), where);
}

// A list of priorities: "3,4".
std::set<std::string> read_list(std::string text)
{
    std::erase(text, ' ');
    std::set<std::string> priorities;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        if (end != begin) {
            priorities.insert(text.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return priorities;
}

std::string with(const std::string& list, const std::string& priority, bool on)
{
    auto priorities = read_list(list);
    on ? void(priorities.insert(priority)) : void(priorities.erase(priority));
    return fmt::format("{}", fmt::join(priorities, ","));
}

// The key's hash on each ASIC that has it. An interface that no ASIC has ends the command.
std::vector<std::pair<Tables*, Hash>> find_interface(Desk& desk, std::string_view port, const std::string& key)
{
    std::vector<std::pair<Tables*, Hash>> found;
    for (auto& tables : desk.asics()) {
        if (auto hash = tables.hash(Db::config, key); !hash.empty()) {
            found.emplace_back(&tables, std::move(hash));
        }
    }
    if (found.empty()) {
        refuse(cannot_find(desk, port));
    }
    return found;
}

// On SONiC orchagent may create the queue later. Without SONiC the agent refuses a queue that its device does not have.
std::string note_of_missing_queue(const Desk& desk, Tables& tables, std::string_view port, std::string_view priority)
{
    if (desk.tables_are_agents()) {
        return "";
    }
    const auto known = tables.hash(Db::counters, "COUNTERS_QUEUE_NAME_MAP");
    const auto queue = fmt::format("{}:{}", port, priority);
    if (known.empty() || !field(known, queue).empty()) {
        return "";
    }
    return fmt::format("{}{} is not watched until orchagent creates it: COUNTERS_QUEUE_NAME_MAP has no such queue\n",
                       excerpt(queue), tables.named(" of "));
}

// The watchdog watches lossless priorities: both lists change together.
Outcome config_priority(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const std::string port{*given.text("INTERFACE")};
    const std::string priority{*given.text("PRIORITY")};
    const bool on = given.text("STATUS") == "on";
    const auto key = fmt::format("{}|{}", kQosMap, port);
    Outcome outcome;
    for (const auto& [tables, before] : find_interface(desk, port, key)) {
        const auto enabled = field(before, "pfc_enable");
        if (read_list(enabled).contains(priority) == on) {
            refuse(fmt::format("Priority {} {} on {}{}", priority, on ? "has already been enabled" : "is not enabled",
                               excerpt(port), tables->named(" for namespace ")));
        }
        tables->change(Db::config, {{Change::Kind::set,
                                     key,
                                     {{"pfc_enable", with(enabled, priority, on)},
                                      {"pfcwd_sw_enable", with(field(before, "pfcwd_sw_enable"), priority, on)}}}});
        outcome.err += on ? note_of_missing_queue(desk, *tables, port, priority) : "";
    }
    return outcome;
}

Outcome config_asymmetric(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const auto port = *given.text("INTERFACE");
    const auto key = fmt::format("PORT|{}", port);
    for (const auto& [tables, before] : find_interface(desk, port, key)) {
        tables->change(Db::config, {{Change::Kind::set, key, {{"pfc_asym", std::string{*given.text("STATUS")}}}}});
    }
    return {};
}

// One field of the entries of a table, by port.
struct Shown {
    std::string_view table;
    std::string field;
    std::string title;
};

std::string entries_text(const Tables& tables, const Interfaces& entries, const Shown& what)
{
    SimpleTable table{{"Interface", what.title}, {}};
    for (const auto& [port, entry] : entries) {
        table.rows.push_back({port, field(entry, what.field, "N/A")});
    }
    return fmt::format("{}\n{}\n", tables.named("Namespace "), to_text(table));
}

std::string entries_json(const Tables& tables, const Interfaces& entries, const Shown& what)
{
    std::vector<Members> rows;
    for (const auto& [port, entry] : entries) {
        rows.push_back({{"interface", port}, {what.field, field(entry, what.field, "N/A")}});
    }
    return json_document(json_head(tables), "interfaces", rows);
}

Outcome show(const Given& given, Desk& desk, const Shown& what)
{
    const auto port = given.text("INTERFACE");
    Outcome outcome;
    for (auto& tables : desk.asics()) {
        auto entries = tables.table(what.table);
        if (port) {
            std::erase_if(entries, [&](const auto& entry) { return entry.first != *port; });
        }
        if (!port || !entries.empty()) {
            outcome.out += (given.has("--json") ? entries_json : entries_text)(tables, entries, what);
        }
    }
    if (outcome.out.empty()) {
        refuse(cannot_find(desk, *port));
    }
    return outcome;
}

Outcome show_priority(const Given& given, Desk& desk)
{
    return show(given, desk, {kQosMap, "pfc_enable", "Lossless priorities"});
}

Outcome show_asymmetric(const Given& given, Desk& desk)
{
    return show(given, desk, {"PORT", "pfc_asym", "Asymmetric"});
}

Command make_pfc()
{
    const Argument status{"STATUS", Choice{{"on", "off"}}};
    const Argument interface{"INTERFACE"};
    const Argument any_interface{"INTERFACE", Text{}, Count::at_most_one};
    const std::vector show_options{namespace_option(), json_option()};
    return {.name = "pfc",
            .about = "Priority flow control of ports.",
            .commands = {
                {.name = "config",
                 .about = "Change it.",
                 .commands = {{.name = "asymmetric",
                               .about = "Obey pause frames of every priority, send those of the lossless ones only.",
                               .run = config_asymmetric,
                               .options = {namespace_option()},
                               .arguments = {status, interface}},
                              {.name = "priority",
                               .about = "Make a priority lossless, or lossy. Lossless priorities are watched.",
                               .run = config_priority,
                               .options = {namespace_option()},
                               .arguments = {status,
                                             interface,
                                             {"PRIORITY", Choice{{"0", "1", "2", "3", "4", "5", "6", "7"}}}}}}},
                {.name = "show",
                 .about = "Show it.",
                 .commands = {{.name = "asymmetric",
                               .about = "Which ports obey pause frames of every priority.",
                               .run = show_asymmetric,
                               .options = show_options,
                               .arguments = {any_interface}},
                              {.name = "priority",
                               .about = "Which priorities are lossless.",
                               .run = show_priority,
                               .options = show_options,
                               .arguments = {any_interface}}}}}};
}

}  // namespace

const Command& pfc()
{
    static const Command command = make_pfc();
    return command;
}

}  // namespace petrel::sonic_tools
