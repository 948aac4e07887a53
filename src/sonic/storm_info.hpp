// What SONiC's scripts add to the word of a storm, and orchagent to its log line as `additional info`: the counters of
// the last two polls by which it was found. Names and order are those of the script that tells most (Mellanox).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace petrel::sonic {

struct StormInfo {
    // At a poll, and at the one before; none: the switch does not tell.
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
    std::optional<Duration> effective_pfcwd_poll_time_last;  // between the two before
    std::optional<bool> paused;
};

// Name and value of what is known.
std::vector<std::pair<std::string, std::string>> words(const StormInfo&);

// "occupancy:4096|packets:7": as orchagent writes it. Empty: nothing is known.
std::string info_text(const StormInfo&);

}  // namespace petrel::sonic
