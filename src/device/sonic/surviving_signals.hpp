// The signals of one mitigated queue that can be trusted.
//
// Pause does not hold up a mitigated queue, so the mitigation may stop the signals that measure pause; on some switches
// it does not. A signal that still shows pause one second later survives, and then its standstill is quiet. Until
// then only frames count for quiet; if the switch does not count frames, the other signals do. A pause needs frames
// that renew it. If the state is `paused` and no frames arrive, the mitigation has stopped the state or the frame
// counter: neither counts, and a probe has to decide.
//
// The first poll after the mitigation may have been under way when the mitigation began. It is skipped (false), and the
// next sample covers its interval as well. The agent's clock decides which poll is the first, because syncd's stamps
// may be of another clock.
//
// syncd writes ports before queues, and frames are counted by port. A read in between has the frames of the next poll,
// so the next poll seems to have none. Only syncd's stamps exclude such a read. Without them, the first sample without
// frames is skipped, too.
#pragma once

#include <cstdint>
#include <optional>

#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

class SurvivingSignals {
public:
    void begin_storm(Instant at) { since_ = at; }
    void end_storm() { since_.reset(); }
    bool in_storm() const { return since_.has_value(); }

    // Marks in a sample which signals survive. False: the sample must be skipped. seen_at: by the agent's clock.
    // of_one_poll: its ports and queues are proven to be of the same poll.
    bool mark(watchdog::Sample&, Instant seen_at, bool of_one_poll);
    // These signals alone show whether the storm goes on.
    bool settled() const { return settled_; }

private:
    std::optional<Instant> since_;
    // In a storm:
    bool polled_{};  // a poll was seen since its begin
    bool kept_{};    // the signals of pause survive the mitigation
    bool settled_{};
    bool renewed_{};              // frames arrived before the last poll
    std::uint64_t pause_us_{};    // as of the last poll
    std::uint64_t rx_pfc_{};      // as of the last poll
    std::uint64_t tx_packets_{};  // as of the last poll
    Instant polled_at_;           // the stamp of the last poll
};

}  // namespace petrel::device::sonic
