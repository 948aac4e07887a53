#include "sonic_tools/pfcwd_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/complaint_text.hpp"
#include "sonic_tools/outcome.hpp"
#include "sonic_tools/values.hpp"

namespace petrel::sonic_tools {
namespace {

constexpr std::array kTimes{kDetectionTime, kRestorationTime};
constexpr std::size_t kMostFaults = 20;  // this many are listed; the others are counted

// Empty: the time is missing or allowed.
std::string fault_of(const std::string& key, const Hash& entry, const TimeField& time, const std::string& way_out)
{
    if (field(entry, time.name).empty() || time_of(entry, time)) {
        return {};
    }
    return fmt::format("{} has {} {}, where {}..{} ms are allowed: {}\n", excerpt(key), time.name,
                       sonic_tools::quoted(field(entry, time.name)), *time.allowed.least, *time.allowed.most, way_out);
}

}  // namespace

std::string watch_key(const std::string& port) { return fmt::format("PFC_WD|{}", port); }

std::vector<std::string> watch_keys(const std::vector<std::string>& ports)
{
    std::vector<std::string> keys;
    std::transform(ports.begin(), ports.end(), std::back_inserter(keys), watch_key);
    return keys;
}

std::optional<std::int64_t> time_of(const Hash& entry, const TimeField& time)
{
    const auto text = field(entry, time.name);
    return problem_with(text, time.allowed).empty() ? whole_number(text) : std::nullopt;
}

Entries watched_ports(Tables& tables)
{
    auto entries = tables.table("PFC_WD");
    std::erase_if(entries, [](const auto& entry) { return entry.first == kGlobal; });
    return entries;
}

std::string bad_times(const Tables& tables, const Entries& entries)
{
    std::string faults;
    std::size_t count = 0;
    for (const auto& [port, entry] : entries) {
        const auto way_out =
            fmt::format("pfcwd start {} sets it again, pfcwd stop {} removes it", excerpt(port), excerpt(port));
        for (const auto& time : kTimes) {
            const auto fault = fault_of(watch_key(port) + tables.named(" on "), entry, time, way_out);
            count += fault.empty() ? 0U : 1U;
            faults += count <= kMostFaults ? fault : "";
        }
    }
    return count <= kMostFaults ? faults : fmt::format("{}and {} more\n", faults, count - kMostFaults);
}

std::optional<std::int64_t> poll_interval(Tables& tables, std::string& notes)
{
    const auto global = tables.hash(Db::config, watch_key(kGlobal));
    if (field(global, kPollInterval.name).empty()) {
        return kUsualInterval_ms;
    }
    notes += fault_of(watch_key(kGlobal) + tables.named(" on "), global, kPollInterval, "pfcwd interval sets it again");
    return time_of(global, kPollInterval);
}

void need_interval_below(std::int64_t interval_ms, const Tables& tables, const Entries& entries)
{
    std::int64_t shortest = interval_ms;
    std::string shortest_port;
    TimeField which{};
    for (const auto& [port, entry] : entries) {
        for (const auto& time : kTimes) {
            if (const auto value = time_of(entry, time); value && *value < shortest) {
                shortest = *value;
                shortest_port = port;
                which = time;
            }
        }
    }
    if (!shortest_port.empty()) {
        stop_with(fmt::format("unable to use polling interval = {}ms, value is bigger than one of the configured {} "
                              "values, please choose a smaller polling_interval\n"
                              "{}{} has {} {}: at most that, until pfcwd start {} sets a longer one",
                              interval_ms, which.label, excerpt(watch_key(shortest_port)), tables.named(" on "),
                              which.name, shortest, excerpt(shortest_port)));
    }
}

std::vector<std::string> lossless_ports(Tables& tables, const std::vector<std::string>& ports, std::string& skipped)
{
    std::vector<std::string> keys;
    std::transform(ports.begin(), ports.end(), std::back_inserter(keys),
                   [](const std::string& port) { return fmt::format("PORT_QOS_MAP|{}", port); });
    const auto maps = tables.hashes(Db::config, keys);
    std::vector<std::string> lossless;
    for (std::size_t i = 0; i != ports.size(); ++i) {
        if (!field(maps[i], "pfc_enable").empty()) {
            lossless.push_back(ports[i]);
        } else {
            skipped += fmt::format("SKIPPED: PFC is not enabled on port: {}\n", excerpt(ports[i]));
        }
    }
    return lossless;
}

}  // namespace petrel::sonic_tools
