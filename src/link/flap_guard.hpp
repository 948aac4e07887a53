// Keeps a link that flaps out of the fabric until it has been quiet for a while.
//
//   state        bounce                              quiet for a window
//   unmonitored  -> monitored                        (stays)
//   monitored    -> quarantined at the high mark     -> unmonitored
//   quarantined  (stays; the quiet begins anew)      -> monitored
//
// There is no low mark: after a whole quiet window no bounce is left to be counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "base/time.hpp"

namespace petrel::link {

struct FlapPolicy {
    std::chrono::seconds window{std::chrono::minutes{15}};  // zero: nothing is watched
    std::uint32_t high{25};
};

enum class FlapState : std::uint8_t { unmonitored, monitored, quarantined };

class FlapGuard {
public:
    explicit FlapGuard(FlapPolicy policy) : policy_(policy) {}

    // A clock that goes back may make a quiet time look longer or shorter, nothing worse.
    void bounced(WallTime at);
    FlapState state(WallTime now);

private:
    void catch_up(WallTime now);
    std::size_t bounces_in_window(WallTime now);

    FlapPolicy policy_;
    FlapState state_{FlapState::unmonitored};
    std::deque<WallTime> bounces_;  // of the last window; no more than the high mark
    WallTime quiet_since_{};
};

}  // namespace petrel::link
