// The watchdog's memory, to save and load. It holds ages, not instants: an Instant means nothing after a reboot.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "watchdog/event.hpp"

namespace petrel::watchdog {

// What a person sees of a row. Derived from what was decided for the row and what is in effect on the device.
enum class Phase : std::uint8_t { off, watching, alerted, mitigating, mitigated, probing, restoring, latched, count_ };
std::string_view name(Phase);
std::optional<Phase> phase_from_name(std::string_view);

struct Checkpoint {
    struct Row {
        Target target;
        Phase phase{};
        Treatment treatment{};  // wanted for the row
        bool ordered{};         // by a person, not by evidence
        Duration proven{};
        Duration in_phase{};   // since this phase was decided
        Duration storm_age{};  // since the storm began
        std::uint32_t backoff{};
        std::uint64_t cause{};  // the event that began the storm
        std::optional<Duration> restored_ago;
        std::vector<Duration> storms_ago;  // for the latch window, newest first
        QueueStats stats;                  // its instants hold ages: time since, as time_since_epoch
        bool operator==(const Row&) const = default;
    };
    std::uint64_t next_seq{1};
    bool red_switch{};
    std::vector<Row> rows;  // only rows that have something to remember
    bool operator==(const Checkpoint&) const = default;
};

// Subtracted from any clock, it is still a time.
inline constexpr Duration kOldestAge = std::chrono::days{36'525};  // a hundred years

// What it is after so much time in which nobody looked. All that counts from a moment is older; time that was proven is
// not more: nobody saw what went on.
Checkpoint aged(Checkpoint, Duration by);

}  // namespace petrel::watchdog
