// The counters of a NIC's port, from those of its priorities. All priorities share one receive pipeline, so whether it
// delivers anything is a question about the port.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "watchdog/observation.hpp"

namespace petrel::device {

class NicPort {
public:
    // Takes the samples of the port's priorities at one time, always of the same priorities in the same order. Sets in
    // `port` each of these fields that all of them know:
    //   rx_packets            grows with the packets of every priority
    //   pause_tx, pause_tx_us grow as those of the priority that paused most since the last call, so that they never
    //                         count one time twice
    // If a counter of a priority went backwards, the field starts again at zero: the reader sees a reset.
    void combine(std::span<const watchdog::Sample> priorities, watchdog::Sample& port);

private:
    static constexpr std::size_t kCombined = 3;
    using Counters = std::array<std::uint64_t, kCombined>;

    std::vector<Counters> last_;  // by priority
    Counters total_{};
};

}  // namespace petrel::device
