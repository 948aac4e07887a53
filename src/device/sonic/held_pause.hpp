// The state of a pause since the last poll, for switches that only tell whether a queue is paused when it is read. One
// that is paused at two successive polls and has sent nothing in between counts as paused throughout. What is missing
// is what such a switch cannot tell: a queue that has nothing to send may have been let go and paused again.
//
// The longer the interval, the less its two ends say of it: one that is half as long again as the one before, because
// nobody looked or because syncd skipped a poll, is not taken as continuous. Polls that always take that long are.
#pragma once

#include <cstdint>
#include <optional>

#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

class HeldPause {
public:
    // What a switch has to tell for it, and what may not be known: those tell more.
    static bool fits(watchdog::Fields);

    // Stamp and epoch are in the sample. None: the switch has not told. What comes with the same
    // stamp again says nothing new.
    std::optional<watchdog::PauseState> see(const watchdog::Sample&);

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
