// The state that a watchdog saves and loads. It holds ages instead of instants, because an Instant is not valid after a
// reboot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "watchdog/event.hpp"

namespace petrel::watchdog {

// The phase of a row as operators see it. Derived from the watchdog's decision for the row and the treatment in effect
// on the device.
enum class Phase : std::uint8_t { off, watching, alerted, mitigating, mitigated, probing, restoring, latched, count_ };
std::string_view name(Phase);
std::optional<Phase> phase_from_name(std::string_view);

struct Checkpoint {
    struct Row {
        Target target;
        Phase phase{};
        Treatment treatment{};  // wanted for the row
        bool ordered{};         // by an operator, not by evidence
        bool held{};            // latched by an operator's hold, not by repeated storms
        Duration proven{};
        Duration in_phase{};          // since this phase was decided
        Duration storm_age{};         // since the storm began
        Duration unclear{};           // while mitigated: time since the last pause that proved neither pause nor quiet
        Duration recovery{};          // while a device treats the storm that it has found: for how long it does
        std::uint32_t probe_looks{};  // while probing
        Duration storm_proven{};      // while alerted: the proven time that began the storm, and its limit
        Duration storm_limit{};
        Duration paused{};  // while alerted: length of the current pause without a break
        std::uint32_t backoff{};
        std::uint64_t cause{};  // the event that began the storm
        std::optional<Duration> restored_ago;
        std::vector<Duration> storms_ago;  // for the latch window, newest first
        QueueStats stats;                  // its instants hold ages in time_since_epoch()
        bool operator==(const Row&) const = default;
    };
    // The statistics of a row that is not in the inventory now, until it comes back.
    struct Departed {
        std::string name;  // as to_string() of its target
        QueueStats stats;  // as in Row
        bool operator==(const Departed&) const = default;
    };
    std::uint64_t next_seq{1};
    bool red_switch{};
    bool rebooted{};           // the machine was booted again since it was saved; set by the reader, not stored
    std::int32_t drift_ppm{};  // of time stamps against pause counters (StampDrift); zero = none is known
    std::vector<Row> rows;     // only rows that have something to remember
    std::vector<Departed> departed;
    bool operator==(const Checkpoint&) const = default;
};

// The upper bound of all ages in a checkpoint: subtracting it from any Instant does not overflow.
inline constexpr Duration kOldestAge = std::chrono::days{36'525};  // a hundred years

struct Watchlist;

// A reboot is a repair: the latches of NICs end, except those that their policy keeps.
Checkpoint end_latches(Checkpoint, const Watchlist&);

// The checkpoint after the agent was down for `by`. Ages and the time in storms grow. Proven time does not grow,
// because nothing was observed meanwhile.
Checkpoint aged(Checkpoint, Duration by);

}  // namespace petrel::watchdog
