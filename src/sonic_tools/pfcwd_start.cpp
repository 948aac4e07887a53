#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sonic_tools/natural_order.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/pfcwd_tables.hpp"

namespace petrel::sonic_tools {
namespace {

constexpr std::int64_t kDefaultTime_ms = 200;  // for each group of ports in PORT, started or not
constexpr std::int64_t kPortsInGroup = 32;

// "ports all detection-time 400" is the spelling of the first test plans.
std::vector<std::string> without_filling_words(std::vector<std::string> words)
{
    if (!words.empty() && words.back() == "detection-time") {
        words.pop_back();
    }
    if (!words.empty() && words.front() == "ports") {
        words.erase(words.begin());
    }
    return words;
}

void need_above_interval(std::string_view what, std::int64_t time_ms, std::int64_t interval_ms)
{
    if (time_ms < interval_ms) {
        stop_with(fmt::format("unable to use {} = {}ms, value is smaller than the polling interval = {}ms\n"
                              "At least that, or pfcwd interval {} first",
                              what, time_ms, interval_ms, time_ms));
    }
}

// That no port has PFC enabled is an answer; that nobody knows any port is none.
void need_filled(Tables& tables, const std::vector<std::string>& known)
{
    if (tables.table("PORT").empty()) {
        stop_with("Error: nothing was started: CONFIG_DB has no port; it is not filled yet");
    }
    if (known.empty()) {
        stop_with("Error: nothing was started: COUNTERS_PORT_NAME_MAP in COUNTERS_DB has no port");
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

// Ports that have a neighbour, and those between the ASICs of the box that are up.
std::vector<std::string> active_ports(Tables& tables, const Entries& all_ports)
{
    std::set<std::string> found;
    for (const auto& [port, neighbor] : tables.table("DEVICE_NEIGHBOR")) {
        found.insert(port);
    }
    for (const auto& [port, entry] : all_ports) {
        if (field(entry, "admin_status") == "up" && field(entry, "role") == "Int") {
            found.insert(port);
        }
    }
    std::vector<std::string> ports{found.begin(), found.end()};
    std::sort(ports.begin(), ports.end(), naturally_before);
    return ports;
}

}  // namespace

Outcome start(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const auto wanted = without_filling_words(given.words("PORTS"));
    const auto known = physical_ports(desk.tables, Display::all);
    need_known(wanted, known);

    Outcome outcome;
    const auto detection = *given.number("DETECTION_TIME");
    const auto restoration = given.number("--restoration-time").value_or(2 * detection);
    if (const auto interval = poll_interval(desk.tables, outcome.err)) {
        need_above_interval(kDetectionTime.words, detection, *interval);
        need_above_interval(kRestorationTime.words, restoration, *interval);
    }
    Hash entry{{kDetectionTime.name, fmt::format("{}", detection)},
               {kRestorationTime.name, fmt::format("{}", restoration)}};
    if (const auto action = given.text("--action")) {
        entry["action"] = *action;
    }
    if (given.has("--pfc-stat-history")) {
        entry[kHistory] = "enable";
    }
    if (!given.has("--restoration-time")) {
        outcome.out +=
            fmt::format("restoration time not defined; default to 2 times detection time: {} ms\n", restoration);
    }
    const auto ports = lossless_ports(desk.tables, means_all(wanted) ? known : wanted, outcome.out);
    if (ports.empty() && means_all(wanted)) {
        need_filled(desk.tables, known);
    }
    const auto before = desk.tables.hashes(Db::config, watch_keys(ports));
    std::vector<Change> changes;
    for (std::size_t i = 0; i != ports.size(); ++i) {
        changes.push_back(watch(ports[i], entry, before[i], field(before[i], kHistory)));
    }
    desk.tables.apply(Db::config, changes);
    return outcome;
}

Outcome start_default(const Given&, Desk& desk)
{
    need_configurable(desk);
    auto status = field(desk.tables.hash(Db::config, "DEVICE_METADATA|localhost"), "default_pfcwd_status");
    std::transform(status.begin(), status.end(), status.begin(), [](unsigned char c) { return std::tolower(c); });
    if (status != "enable") {
        return {};
    }
    Outcome outcome;
    const auto all_ports = desk.tables.table("PORT");
    const auto ports = lossless_ports(desk.tables, active_ports(desk.tables, all_ports), outcome.out);
    const auto groups = std::max<std::int64_t>(1, (std::ssize(all_ports) - 1) / kPortsInGroup + 1);
    const auto time = fmt::format("{}", kDefaultTime_ms * groups);
    const auto interval = std::min(kDefaultTime_ms * groups, *kPollInterval.allowed.most);

    auto others = watched_ports(desk.tables);
    std::erase_if(others,
                  [&](const auto& entry) { return std::find(ports.begin(), ports.end(), entry.first) != ports.end(); });
    need_interval_below(interval, others);
    outcome.err += bad_times(others);
    std::vector<Change> changes;
    changes.reserve(ports.size() + 1);
    const auto before = desk.tables.hashes(Db::config, watch_keys(ports));
    const Hash entry{{kDetectionTime.name, time}, {kRestorationTime.name, time}, {"action", "drop"}};
    for (std::size_t i = 0; i != ports.size(); ++i) {
        changes.push_back(watch(ports[i], entry, before[i], "disable"));
    }
    changes.push_back({Change::Kind::set, watch_key(kGlobal), {{kPollInterval.name, fmt::format("{}", interval)}}});
    desk.tables.apply(Db::config, changes);
    return outcome;
}

// What is configured for a port that is gone can be stopped too.
Outcome stop(const Given& given, Desk& desk)
{
    need_configurable(desk);
    const auto wanted = given.words("PORTS");
    auto known = physical_ports(desk.tables, Display::all);
    for (const auto& [port, entry] : watched_ports(desk.tables)) {
        known.push_back(port);
    }
    need_known(wanted, known);
    std::vector<Change> changes;
    for (const auto& port : means_all(wanted) ? known : wanted) {
        changes.push_back({Change::Kind::replace, watch_key(port), {}});
    }
    desk.tables.apply(Db::config, changes);
    return {};
}

}  // namespace petrel::sonic_tools
