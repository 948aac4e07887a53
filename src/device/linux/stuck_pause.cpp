#include "device/linux/stuck_pause.hpp"

namespace petrel::device::linux_nic {

using watchdog::Field;

void StuckPause::take(const NicCounters& counters, Instant now)
{
    Counts counts{now, counters.port[Field::rx_packets], {}};
    for (std::size_t priority = 0; priority != kPriorities; ++priority) {
        const auto& one = counters.priorities[priority];
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

}  // namespace petrel::device::linux_nic
