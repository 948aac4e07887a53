// Keeps a flapping link out of the fabric until it has been quiet for a while.
//
//   state        bounce                              quiet for a window
//   unmonitored  -> monitored                        (stays)
//   monitored    -> quarantined at the high mark     -> unmonitored
//   quarantined  (stays; quiet time restarts)        -> monitored
//
// There is no low mark, because after a quiet window no bounce is left in the window.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "base/time.hpp"

namespace petrel::link {

struct FlapPolicy {
    std::chrono::seconds window{std::chrono::minutes{15}};  // zero: no guard
    std::uint32_t high{25};
};

enum class FlapState : std::uint8_t { unmonitored, monitored, quarantined };

class FlapGuard {
public:
    explicit FlapGuard(FlapPolicy policy) : policy_(policy) {}

    // If the wall clock jumps, a quiet time may count as longer or shorter than it was. There is no other effect.
    void bounced(WallTime at);
    FlapState state(WallTime now);

private:
    void catch_up(WallTime now);
    std::size_t bounces_in_window(WallTime now);

    FlapPolicy policy_;
    FlapState state_{FlapState::unmonitored};
    std::deque<WallTime> bounces_;  // of the last window; at most `high` entries
    WallTime quiet_since_{};
};

}  // namespace petrel::link
