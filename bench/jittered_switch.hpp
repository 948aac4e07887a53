// A SONiC switch in simulated time with jittering polls: pauses of known begin and length, the counters that syncd
// would have read, and the times at which it read and wrote them. Everything follows from a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "redis/connection.hpp"

namespace petrel::bench {

// What the ASIC counts.
enum class Asic : std::uint8_t {
    state_and_transitions,  // PAUSE_STATUS and ON2OFF_RX_PKTS, as Broadcom's
    pause_time              // RX_PAUSE_DURATION_US, as Mellanox's
};

struct Jitter {
    std::string name;
    Duration most{};       // the most for each step: start of a poll to a queue's read, read to stamp, stamp to write
    double of_interval{};  // share by which the poll interval varies
};

struct JitterCase {
    Asic asic{};
    bool stamps{};
    Jitter jitter;
};

struct Pause {
    Instant from;
    Instant to;
};

// The input of a detector for one queue, with cumulative counters.
struct QueueReading {
    std::uint64_t rx{};
    std::uint64_t on2off{};
    std::uint64_t tx{};
    std::uint64_t pause_us{};
    std::uint64_t occupancy{};
    bool paused{};
};

struct Poll {
    Instant read;   // when the counters were read
    Instant stamp;  // as syncd writes it
    Instant written;
    std::vector<QueueReading> queues;
};

inline constexpr Duration kJitteredPoll = std::chrono::milliseconds{200};

// `pauses[q]` in order of time. Polls up to `end`.
std::vector<Poll> jittered_polls(const JitterCase&, const std::vector<std::vector<Pause>>& pauses, Instant end,
                                 std::uint64_t seed);

class JitteredSwitch {
public:
    JitteredSwitch(redis::Connection& config, redis::Connection& counters, redis::Connection& flex_counters,
                   const JitterCase&, std::uint32_t queues);
    void write(const Poll&);

private:
    redis::Connection& counters_;
    JitterCase case_;
};

}  // namespace petrel::bench
