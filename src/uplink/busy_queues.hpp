// Chooses the telemetry of a device that goes to the manager: the queues that paused since the last choice, at most the
// 256 busiest, and a sum of the rest. So the cost of a device is bounded, whatever its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "uplink/snapshot.hpp"

namespace petrel::uplink {

class BusyQueues {
public:
    static constexpr std::size_t kMost = 256;
    static constexpr auto kRest = "*";  // the port of the sum; its queue is 0

    // `now`: all queues of one device, with their counters. The sum of the rest counts on from one choice to the next.
    std::vector<QueueSample> choose(std::vector<QueueSample> now);

private:
    struct Counts {
        std::uint64_t paused_us{};
        std::uint64_t tx_packets{};
        std::uint64_t rx_pfc{};
    };
    struct Busy {
        Counts more;  // since the last choice
        std::size_t index{};
    };

    std::map<std::pair<std::string, std::uint8_t>, Counts> last_;  // by port and priority
    Counts rest_;
};

}  // namespace petrel::uplink
