// The watchdog's tables in CONFIG_DB, as its commands write them: who is watched and how, and what must hold there
// (no time is shorter than the polling interval).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sonic_tools/tables.hpp"

namespace petrel::sonic_tools {

inline constexpr auto kGlobal = "GLOBAL";
inline constexpr auto kPollInterval = "POLL_INTERVAL";
inline constexpr auto kBigRedSwitch = "BIG_RED_SWITCH";

std::string watch_key(const std::string& port);  // "PFC_WD|Ethernet0"
std::vector<std::string> watch_keys(const std::vector<std::string>& ports);

// A time in milliseconds of an entry; none = the field is missing. What is no number ends the command.
std::optional<std::int64_t> time_of(const std::string& port, const Hash& entry, const std::string& name);

// All entries but GLOBAL.
std::vector<std::pair<std::string, Hash>> watched_ports(Tables&);
std::int64_t poll_interval(Tables&);

// A polling interval above any of these times ends the command.
void need_interval_below(std::int64_t interval_ms, const std::vector<std::pair<std::string, Hash>>& entries);

// Those of the ports that have a lossless priority; a line about each of the others goes to `skipped`.
std::vector<std::string> lossless_ports(Tables&, const std::vector<std::string>& ports, std::string& skipped);

}  // namespace petrel::sonic_tools
