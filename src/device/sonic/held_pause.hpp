// The state of a pause since the last poll, for switches that only tell whether a queue is paused when it is read. One
// that is paused at two successive polls and has sent at most one packet in between counts as paused throughout: one
// packet may leak out of a paused queue with every poll. What is missing is what such a switch cannot tell: a queue
// that has nothing to send may have been let go and paused again.
//
// The longer the interval, the less its two ends say of it. An interval that is half as long again as the configured
// one and as the one before, because the agent did not look or syncd skipped a poll, is not taken as continuous. Polls
// that always take that long are.
#pragma once

#include <cstdint>
#include <optional>

#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

class HeldPause {
public:
    // What a switch has to tell for it, and what may not be known: those tell more.
    static bool fits(watchdog::Fields);

    // Stamp and epoch are in the sample; `configured` is the time between two polls. None: the switch has not told.
    // What comes with the same stamp again says nothing new.
    std::optional<watchdog::PauseState> see(const watchdog::Sample&, Duration configured);

private:
    struct Before {
        Instant read_at;
        std::uint32_t epoch{};
        std::optional<std::uint64_t> tx_packets;
        bool paused{};
    };

    Before before_;
    Duration interval_{};  // between the last two polls; zero: there was none yet
    std::optional<watchdog::PauseState> state_;
};

}  // namespace petrel::device::sonic
