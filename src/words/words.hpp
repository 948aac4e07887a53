// Times and events in words, the same in text reports, HTML pages, the demo and the log.
#pragma once

#include <string>

#include "watchdog/event.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel {

std::string seconds_text(Instant);   // "1.300000"
std::string seconds_text(Duration);  // "1.300 s": to the millisecond, for totals
std::string ms_text(Duration);       // "400.000 ms": evidence, to the microsecond
std::string limit_text(Duration);    // "400 ms": as configured, decimals only if there are any
std::string count_text(std::uint64_t count, std::string_view thing);  // "1 storm", "2 storms"

std::string policy_text(const watchdog::Event&, const watchdog::Watchlist&);

// Why the event was raised, e.g. "paused 400.000 ms without a break (limit 400 ms; the last 4 looks on record)".
std::string evidence_text(const watchdog::Event&, const watchdog::Watchlist&);

// One look in the evidence, e.g. "100.000 ms: paused throughout, tx_bytes 0, rx_xoff 298".
std::string interval_text(const watchdog::Interval&);

// Whether events of this kind begin or end a storm.
bool begins_storm(watchdog::EventKind);
bool ends_storm(watchdog::EventKind);

}  // namespace petrel
