// The watchdog's tables in CONFIG_DB, as its commands write them: the watched ports with their settings, and the rule
// that no time is shorter than the polling interval. Other programs write there too. A command reports their wrong
// values and still does its own work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sonic_tools/grammar.hpp"
#include "sonic_tools/tables.hpp"

namespace petrel::sonic_tools {

// A field that is a time in milliseconds.
struct TimeField {
    const char* name;
    std::string_view label;
    Range allowed;
};

inline constexpr TimeField kDetectionTime{"detection_time", "detection time", {100, 5000}};
inline constexpr TimeField kRestorationTime{"restoration_time", "restoration time", {100, 60000}};
inline constexpr TimeField kPollInterval{"POLL_INTERVAL", "polling interval", {100, 1000}};
inline constexpr std::int64_t kUsualInterval_ms = 100;  // if none is configured

inline constexpr auto kGlobal = "GLOBAL";
inline constexpr auto kBigRedSwitch = "BIG_RED_SWITCH";

std::string watch_key(const std::string& port);  // "PFC_WD|Ethernet0"
std::vector<std::string> watch_keys(const std::vector<std::string>& ports);

// None: the time is missing or not allowed.
std::optional<std::int64_t> time_of(const Hash& entry, const TimeField&);

using Entries = std::vector<std::pair<std::string, Hash>>;  // by port

// All entries but GLOBAL.
Entries watched_ports(Tables&);
// One line for each time that is not allowed.
std::string bad_times(const Tables&, const Entries&);

// None: the configured value is not allowed, and `notes` gets a line about it.
std::optional<std::int64_t> poll_interval(Tables&, std::string& notes);

// A polling interval above any of these times ends the command.
void need_interval_below(std::int64_t interval_ms, const Tables&, const Entries&);

// The ports that have a lossless priority. `skipped` gets a line for each of the others.
std::vector<std::string> lossless_ports(Tables&, const std::vector<std::string>& ports, std::string& skipped);

}  // namespace petrel::sonic_tools
