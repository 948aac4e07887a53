#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/complaint_text.hpp"
#include "sonic/server_ports.hpp"
#include "sonic/start_default.hpp"
#include "sonic_tools/natural_order.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/pfcwd_tables.hpp"

namespace petrel::sonic_tools {
namespace {

// Accepts "ports all detection-time 400", the spelling of the first test plans.
std::vector<std::string> without_keywords(std::vector<std::string> arguments)
{
    if (!arguments.empty() && arguments.back() == "detection-time") {
        arguments.pop_back();
    }
    if (!arguments.empty() && arguments.front() == "ports") {
        arguments.erase(arguments.begin());
    }
    return arguments;
}

struct Times {
    std::int64_t detection_ms{};
    std::int64_t restoration_ms{};
};

void need_above_interval(const Times& times, Tables& tables, std::string& notes)
{
    const auto interval_ms = poll_interval(tables, notes);
    for (const auto& [what, time_ms] :
         {std::pair{kDetectionTime.label, times.detection_ms}, {kRestorationTime.label, times.restoration_ms}}) {
        if (interval_ms && time_ms < *interval_ms) {
            stop_with(fmt::format("unable to use {} = {}ms, value is smaller than the polling interval = {}ms{}\n"
                                  "At least that, or pfcwd interval {} first",
                                  what, time_ms, *interval_ms, tables.named(" on "), time_ms));
        }
    }
}

// Called if the operator means all ports and an ASIC has none to start. Ports without PFC are no error, and an ASIC of
// several may have no port at all. A switch without any port is an error, and so is an ASIC whose ports orchagent has
// not named yet.
void need_filled(const std::vector<OfAsic<std::string>>& asics)
{
    bool configured = false;
    for (const auto& [tables, ports] : asics) {
        if (tables->table("PORT").empty()) {
            continue;
        }
        configured = true;
        if (ports.empty()) {
            stop_with(fmt::format("Error: nothing was started: COUNTERS_PORT_NAME_MAP in COUNTERS_DB{} has no port",
                                  tables->named(" of ")));
        }
    }
    if (!configured) {
        stop_with("Error: nothing was started: CONFIG_DB has no port; it is not filled yet");
    }
}

constexpr auto kHistory = "pfc_stat_history";

// orchagent up to release 202505 rejects a whole entry that has a pfc_stat_history. So an entry gets the field only if
// the user asks for it, or if it has the field already; `kept`: the value in the second case.
Change watch(const std::string& port, Hash entry, const Hash& before, std::string_view kept)
{
    if (before.contains(kHistory)) {
        entry.try_emplace(kHistory, kept);
    }
    return {Change::Kind::replace, watch_key(port), std::move(entry)};
}

std::vector<Change> watch_all(const std::vector<std::string>& ports, const Hash& entry, Tables& tables)
{
    const auto before = tables.hashes(Db::config, watch_keys(ports));
    std::vector<Change> changes;
    for (std::size_t i = 0; i != ports.size(); ++i) {
        changes.push_back(watch(ports[i], entry, before[i], field(before[i], kHistory)));
    }
    return changes;
}

// Ports that have a neighbour, and those between the ASICs of the box that are up.
std::vector<std::string> active_ports(Tables& tables)
{
    std::set<std::string> found;
    for (const auto& [port, neighbor] : tables.table("DEVICE_NEIGHBOR")) {
        found.insert(port);
    }
    for (const auto& [port, entry] : tables.table("PORT")) {
        if (field(entry, "admin_status") == "up" && field(entry, "role") == "Int") {
            found.insert(port);
        }
    }
    std::vector<std::string> ports{found.begin(), found.end()};
    std::sort(ports.begin(), ports.end(), naturally_before);
    return ports;
}

bool default_is_enabled(Tables& tables)
{
    auto status = field(tables.hash(Db::config, "DEVICE_METADATA|localhost"), "default_pfcwd_status");
    std::transform(status.begin(), status.end(), status.begin(), [](unsigned char c) { return std::tolower(c); });
    return status == "enable";
}

// An agent that keeps the tables itself lists the ports that face servers. No setting switches the default off there,
// so a command that would start nothing is an error.
std::vector<std::string> server_ports(Tables& tables, std::string& skipped)
{
    std::vector<std::string> ports;
    for (const auto& [port, role] : tables.hash(Db::state, sonic::kServerPortsKey)) {
        ports.push_back(port);
    }
    std::sort(ports.begin(), ports.end(), naturally_before);
    if (ports.empty()) {
        stop_with("Error: nothing was started: no port is known to face a server\n"
                  "Name such ports in the agent's file ([[port]] with role = \"host\"), then petrel reload; or start "
                  "ports by their names: pfcwd start PORTS 400");
    }
    auto lossless = lossless_ports(tables, ports, skipped);
    if (lossless.empty()) {
        stop_with(fmt::format("Error: nothing was started: PFC is not enabled on any port that faces a server ({})",
                              excerpt(fmt::format("{}", fmt::join(ports, ", ")))));
    }
    return lossless;
}

void start_with_defaults(Tables& tables, const std::vector<std::string>& ports, Outcome& outcome)
{
    const auto time_ms = sonic::default_time_ms(tables.table("PORT").size());  // of all ports, started or not
    const auto time = fmt::format("{}", time_ms);
    const auto interval = std::min(time_ms, *kPollInterval.allowed.most);

    auto others = watched_ports(tables);
    std::erase_if(others,
                  [&](const auto& entry) { return std::find(ports.begin(), ports.end(), entry.first) != ports.end(); });
    need_interval_below(interval, tables, others);
    outcome.err += bad_times(tables, others);
    std::vector<Change> changes;
    changes.reserve(ports.size() + 1);
    const auto before = tables.hashes(Db::config, watch_keys(ports));
    const Hash entry{{kDetectionTime.name, time}, {kRestorationTime.name, time}, {"action", "drop"}};
    for (std::size_t i = 0; i != ports.size(); ++i) {
        changes.push_back(watch(ports[i], entry, before[i], "disable"));
    }
    changes.push_back({Change::Kind::set, watch_key(kGlobal), {{kPollInterval.name, fmt::format("{}", interval)}}});
    tables.change(Db::config, std::move(changes));
}

}  // namespace

Outcome start(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const auto wanted = without_keywords(given.values("PORTS"));
    const auto asics = meant_ports(desk, wanted);

    Outcome outcome;
    const auto detection = *given.number("DETECTION_TIME");
    const Times times{detection, given.number("--restoration-time").value_or(2 * detection)};
    Hash entry{{kDetectionTime.name, fmt::format("{}", times.detection_ms)},
               {kRestorationTime.name, fmt::format("{}", times.restoration_ms)}};
    if (const auto action = given.text("--action")) {
        entry["action"] = *action;
    }
    if (given.has("--pfc-stat-history")) {
        entry[kHistory] = "enable";
    }
    if (!given.has("--restoration-time")) {
        outcome.out += fmt::format("restoration time not defined; default to 2 times detection time: {} ms\n",
                                   times.restoration_ms);
    }
    bool nothing = true;
    bool without_ports = false;  // an ASIC has no port to start
    for (const auto& [tables, ports] : asics) {
        without_ports = without_ports || ports.empty();
        if (!ports.empty()) {
            need_above_interval(times, *tables, outcome.err);
            const auto lossless = lossless_ports(*tables, ports, outcome.out);
            nothing = nothing && lossless.empty();
            tables->change(Db::config, watch_all(lossless, entry, *tables));
        }
    }
    if (means_all(wanted) && (nothing || without_ports)) {
        need_filled(asics);
    }
    return outcome;
}

Outcome start_default(const Given&, Desk& desk)
{
    need_configurable(desk);
    Outcome outcome;
    for (auto& tables : desk.asics()) {
        if (desk.tables_are_agents()) {
            start_with_defaults(tables, server_ports(tables, outcome.out), outcome);
        } else if (default_is_enabled(tables)) {
            start_with_defaults(tables, lossless_ports(tables, active_ports(tables), outcome.out), outcome);
        }
    }
    return outcome;
}

// Also stops a port that the switch no longer has, if it has an entry.
Outcome stop(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const auto known = [](Tables& tables) {
        auto ports = physical_ports(tables, Display::all);
        for (const auto& [port, entry] : watched_ports(tables)) {
            ports.push_back(port);
        }
        return ports;
    };
    for (const auto& [tables, ports] : meant_ports(shown_asics(desk, Display::all), given.values("PORTS"), known)) {
        std::vector<Change> changes;
        for (const auto& port : ports) {
            changes.push_back({Change::Kind::replace, watch_key(port), {}});
        }
        tables->change(Db::config, std::move(changes));
    }
    return {};
}

}  // namespace petrel::sonic_tools
