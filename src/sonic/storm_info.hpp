// The counters of the last two polls before a storm was detected. SONiC's scripts add them to their storm message, and
// orchagent to its log line as `additional info`. Names and order are those of the most detailed script (Mellanox).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace petrel::sonic {

struct StormInfo {
    // The values at the last poll and at the one before; none: the switch does not report them.
    struct Counter {
        std::optional<std::uint64_t> now;
        std::optional<std::uint64_t> last;
    };

    std::optional<std::uint64_t> occupancy;  // bytes
    Counter packets;                         // sent
    Counter pfc_rx_packets;
    Counter pfc_duration_us;
    std::optional<WallTime> timestamp;
    std::optional<WallTime> timestamp_last;
    std::optional<Duration> effective_poll_time;             // between the two polls
    std::optional<Duration> effective_pfcwd_poll_time_last;  // between the two polls before
    std::optional<bool> paused;
};

// Name and value of everything that is known.
std::vector<std::pair<std::string, std::string>> fields(const StormInfo&);

// "occupancy:4096|packets:7": in orchagent's format. Empty: nothing is known.
std::string info_text(const StormInfo&);

}  // namespace petrel::sonic
