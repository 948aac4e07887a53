#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/pfcwd_tables.hpp"

namespace petrel::sonic_tools {
namespace {

Outcome set_field(Desk& desk, const std::string& key, const std::string& name, const std::string& value)
{
    for (auto& tables : desk.asics()) {
        tables.change(Db::config, {{Change::Kind::set, key, {{name, value}}}});
    }
    return {};
}

// Ends the command if the entry has a detection time and no restoration time. An entry that only sets pfc_stat_history
// is not watched and has no times. The message suggests a time that pfcwd start accepts.
void need_restoration_time(const std::string& port, const Hash& entry, Tables& tables)
{
    const auto detection = time_of(entry, kDetectionTime);
    if (!detection || !field(entry, kRestorationTime.name).empty()) {
        return;
    }
    std::string other_matter;
    const auto interval = poll_interval(tables, other_matter).value_or(*detection);
    stop_with(fmt::format("unable to change the polling interval: {}{} has no restoration_time; pfcwd start {} {} "
                          "gives it one, pfcwd stop {} removes it",
                          excerpt(watch_key(port)), tables.named(" on "), excerpt(port), std::max(*detection, interval),
                          excerpt(port)));
}

std::string switch_of(const Given& given, std::string_view name) { return std::string{*given.text(name)}; }

}  // namespace

Outcome set_interval(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const auto interval = *given.number("POLL_INTERVAL");
    auto outcome = set_field(desk, watch_key(kGlobal), kPollInterval.name, fmt::format("{}", interval));
    for (auto& tables : desk.asics()) {
        const auto entries = watched_ports(tables);
        for (const auto& [port, entry] : entries) {
            need_restoration_time(port, entry, tables);
        }
        need_interval_below(interval, tables, entries);
        outcome.err += bad_times(tables, entries);
    }
    return outcome;
}

Outcome set_counter_poll(const Given& given, Desk& desk)
{
    need_configurable(desk);
    return set_field(desk, "FLEX_COUNTER_TABLE|PFCWD", "FLEX_COUNTER_STATUS", switch_of(given, "COUNTER_POLL"));
}

Outcome set_big_red_switch(const Given& given, Desk& desk)
{
    need_configurable(desk);
    return set_field(desk, watch_key(kGlobal), kBigRedSwitch, switch_of(given, "BIG_RED_SWITCH"));
}

Outcome set_stat_history(const Given& given, Desk& desk)
{
    need_configurable(desk);
    Outcome outcome;
    for (const auto& [tables, ports] : meant_ports(desk, given.values("PORTS"))) {
        std::vector<Change> changes;
        for (const auto& port : lossless_ports(*tables, ports, outcome.out)) {
            changes.push_back(
                {Change::Kind::set, watch_key(port), {{"pfc_stat_history", switch_of(given, "PFC_STAT_HISTORY")}}});
        }
        tables->change(Db::config, std::move(changes));
    }
    return outcome;
}

}  // namespace petrel::sonic_tools
