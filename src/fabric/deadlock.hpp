// Which paused queues can never send again by themselves: the greatest set of queues in which each waits for the
// others. A queue resumes when what it filled at its neighbour falls to a threshold; as long as too much of that waits
// in queues of the set, it cannot. A cycle is necessary for this, not sufficient: a cycle that drains is none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace petrel::fabric {

// One egress queue, as seen at one moment.
struct WaitingQueue {
    struct Share {
        std::uint32_t queue{};  // of the neighbour, by its number
        std::uint64_t bytes{};  // of ours that wait in it
    };
    bool stuck{};                   // paused, and nothing was sent for a while
    std::uint64_t resumes_below{};  // bytes at the neighbour: with so many or fewer it lets us send again
    std::vector<Share> waits_in;
};

// The numbers of the queues in the set, ascending; empty = no deadlock. Takes the occupancies as they are: whoever sees
// only a part of them gets the deadlocks that are certain by what he leaves out.
std::vector<std::uint32_t> confirmed_deadlock(std::span<const WaitingQueue>);

}  // namespace petrel::fabric
