// Pause time that goes with syncd's stamps. A stamp is not the moment at which a queue's counters were read: passes
// take their time, one more than the other. Of a pause that never ends some polls then seem to lack a few percent, and
// the next ones to have too much. So what a poll lacks is lent, as long as it stays as little as that over the whole
// pause: what comes late by a stamp comes back, what was not paused does not.
//
// How much is lent depends on what else is known: more where the queue was paused at both ends and no pause has ended.
// A queue that has sent had a break, whatever its counters make of it: a little is taken off then, so that nobody takes
// it for paused throughout.
#pragma once

#include <cstdint>

#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

class SteadyPause {
public:
    // The sample's pause time, to be told instead; stamp and epoch are in the sample. Seen twice, a poll says the same.
    std::uint64_t see(const watchdog::Sample&);

private:
    struct Poll {
        Instant read_at;
        std::uint32_t epoch{};
        watchdog::Fields known{};
        bool paused{};
        std::uint64_t on2off{};
        std::uint64_t tx_packets{};
        std::uint64_t pause_us{};
    };
    static bool proven(const Poll& before, const Poll& now);
    static bool has_sent(const Poll& before, const Poll& now);

    Poll last_;
    std::uint64_t told_us_{};
    std::int64_t lent_us_{};
};

}  // namespace petrel::device::sonic
