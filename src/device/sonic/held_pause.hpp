// The state of a pause since the last poll, for switches that only report whether a queue is paused at the poll. A
// queue that is paused at two successive polls and has sent at most one packet between them counts as paused
// throughout: one packet may leak out of a paused queue with every poll. Such a switch cannot report a break in the
// pause of a queue that has nothing to send.
//
// The longer the interval, the less its two ends prove. An interval that is half as long again as the configured one
// and as the longest of the last few (the agent did not look, or syncd skipped a poll) does not count as continuous. If
// every poll or every other poll takes that long, intervals count.
#pragma once

#include <cstdint>
#include <optional>

#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

class HeldPause {
public:
    // True if the switch reports the state and packets, and neither pause time nor ends of pauses, which prove more.
    static bool fits(watchdog::Fields);

    // The sample has stamp and epoch; `configured` is the time between two polls. None: the switch has not reported the
    // state. A sample with the stamp of the last one does not change the result.
    std::optional<watchdog::PauseState> see(const watchdog::Sample&, Duration configured);

private:
    struct Before {
        Instant read_at;
        std::uint32_t epoch{};
        std::optional<std::uint64_t> tx_packets;
        bool paused{};
    };

    Before before_;
    Duration usual_{};  // the longest of the last few intervals between polls; zero: there were no two polls yet
    std::optional<watchdog::PauseState> state_;
};

}  // namespace petrel::device::sonic
