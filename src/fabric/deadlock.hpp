// Which paused queues can never send again by themselves: the greatest set of queues in which each waits for the
// others. A queue resumes when what it filled at its neighbour falls to a threshold; as long as too much of that waits
// in queues of the set, it cannot. A cycle is necessary for this, not sufficient: a cycle that drains is none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace petrel::fabric {

// What came in by one link for one priority, as seen at one moment, and where it waits.
struct Ingress {
    struct Share {
        std::uint32_t queue{};  // of the same switch, by its number
        std::uint64_t bytes{};
    };
    std::vector<Share> waits_in;
    std::uint64_t reserved{};  // of these bytes so many are the link's own
    std::uint64_t shared{};    // and so many lie in the pool that it shares with others
    std::uint32_t pool{};
    // With so many bytes or fewer the sender may go on, if so many bytes of the pool are in use.
    std::function<std::uint64_t(std::uint64_t pool_used)> resumes_below;
};

struct WaitingQueue {
    bool stuck{};                            // paused, and nothing was sent for a while
    std::optional<std::uint32_t> neighbour;  // the ingress it fills, by its number; none: a host's
};

// The numbers of the queues in the set, ascending; empty = no deadlock. Everything that does not wait in the set is
// taken to leave some day, also from the pools: whoever sees only a part of the occupancies gets the deadlocks that are
// certain by what he leaves out.
std::vector<std::uint32_t> confirmed_deadlock(std::span<const WaitingQueue>, std::span<const Ingress>);

}  // namespace petrel::fabric
