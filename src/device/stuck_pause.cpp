#include "device/stuck_pause.hpp"

namespace petrel::device {

using watchdog::Field;

void StuckPause::take(std::span<const watchdog::Sample, kPriorities> priorities, std::uint64_t received, Instant now)
{
    Counts counts{now, received, {}};
    for (std::size_t priority = 0; priority != kPriorities; ++priority) {
        const auto& one = priorities[priority];
        counts.pause[priority] = has(one.known, Field::pause_tx_us) ? one[Field::pause_tx_us] : one[Field::pause_tx];
        const bool paused = last_ && counts.pause[priority] > last_->pause[priority];
        if (!paused || counts.received != last_->received) {
            since_[priority].reset();
        } else if (!since_[priority]) {
            since_[priority] = last_->at;
        }
    }
    last_ = counts;
}

std::uint8_t StuckPause::priorities(Duration at_least) const
{
    std::uint8_t mask = 0;
    for (std::size_t priority = 0; last_ && priority != kPriorities; ++priority) {
        const bool stuck = since_[priority] && last_->at - *since_[priority] >= at_least;
        mask = static_cast<std::uint8_t>(mask | (stuck ? 1U << priority : 0U));
    }
    return mask;
}

}  // namespace petrel::device
