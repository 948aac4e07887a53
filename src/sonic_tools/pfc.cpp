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

[[noreturn]] void refuse(const std::string& line) { throw Stop{{line + '\n', {}, 1}}; }

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

// What is lossless is watched, and what is not lossless needs nobody to watch it: both lists change together.
Outcome config_priority(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const std::string port{*given.text("INTERFACE")};
    const std::string priority{*given.text("PRIORITY")};
    const bool on = given.text("STATUS") == "on";
    const auto key = fmt::format("{}|{}", kQosMap, port);
    const auto before = desk.tables.hash(Db::config, key);
    if (before.empty()) {
        refuse(fmt::format("Cannot find interface {}", excerpt(port)));
    }
    const auto enabled = field(before, "pfc_enable");
    if (read_list(enabled).contains(priority) == on) {
        refuse(on ? fmt::format("Priority {} has already been enabled on {}", priority, excerpt(port))
                  : fmt::format("Priority {} is not enabled on {}", priority, excerpt(port)));
    }
    desk.tables.apply(Db::config, {{Change::Kind::set,
                                    key,
                                    {{"pfc_enable", with(enabled, priority, on)},
                                     {"pfcwd_sw_enable", with(field(before, "pfcwd_sw_enable"), priority, on)}}}});
    return {};
}

Outcome config_asymmetric(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const auto port = *given.text("INTERFACE");
    const auto key = fmt::format("PORT|{}", port);
    if (desk.tables.hash(Db::config, key).empty()) {
        refuse(fmt::format("Cannot find interface {}", excerpt(port)));
    }
    desk.tables.apply(Db::config, {{Change::Kind::set, key, {{"pfc_asym", std::string{*given.text("STATUS")}}}}});
    return {};
}

// One field of the entries of a table, by port.
struct Shown {
    std::string_view table;
    std::string field;
    std::string title;
};

Outcome show(const Given& given, Desk& desk, const Shown& what)
{
    auto entries = desk.tables.table(what.table);
    if (const auto port = given.text("INTERFACE")) {
        std::erase_if(entries, [&](const auto& entry) { return entry.first != *port; });
        if (entries.empty()) {
            refuse(fmt::format("Cannot find interface {}", excerpt(*port)));
        }
    }
    SimpleTable table{{"Interface", what.title}, {}};
    std::vector<Members> rows;
    for (const auto& [port, entry] : entries) {
        const auto value = field(entry, what.field, "N/A");
        table.rows.push_back({port, value});
        rows.push_back({{"interface", port}, {what.field, value}});
    }
    return {given.has("--json") ? json_document({}, "interfaces", rows) : fmt::format("\n{}\n", to_text(table)), {}, 0};
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
                               .about = "Make a priority lossless, or lossy. The watchdog follows.",
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
