#include "link/flap_guard.hpp"

namespace petrel::link {

void FlapGuard::bounced(WallTime at)
{
    if (policy_.window == std::chrono::seconds::zero()) {
        return;
    }
    catch_up(at);
    quiet_since_ = at;
    bounces_.push_back(at);
    if (bounces_.size() > policy_.high) {
        bounces_.pop_front();
    }
    if (state_ == FlapState::unmonitored) {
        state_ = FlapState::monitored;
    }
    if (bounces_in_window(at) >= policy_.high) {
        state_ = FlapState::quarantined;
    }
}

FlapState FlapGuard::state(WallTime now)
{
    catch_up(now);
    return state_;
}

// A long quiet time may take two steps: each step takes one quiet window.
void FlapGuard::catch_up(WallTime now)
{
    while (state_ != FlapState::unmonitored && now - quiet_since_ >= policy_.window) {
        quiet_since_ += policy_.window;
        state_ = state_ == FlapState::quarantined ? FlapState::monitored : FlapState::unmonitored;
    }
}

std::size_t FlapGuard::bounces_in_window(WallTime now)
{
    while (!bounces_.empty() && now - bounces_.front() >= policy_.window) {
        bounces_.pop_front();
    }
    return bounces_.size();
}

}  // namespace petrel::link
