// Finds the paused queues that can never send again by themselves: the largest set of queues in which each waits for
// others of the set. A queue resumes when its bytes at the neighbour fall to a threshold. It cannot resume while too
// many of these bytes wait in queues of the set. A cycle is necessary for a deadlock but not sufficient: a cycle that
// drains is no deadlock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace petrel::fabric {

// The bytes received over one link for one priority at one moment, and the queues in which they wait.
struct Ingress {
    struct Share {
        std::uint32_t queue{};  // number of a queue of the same switch
        std::uint64_t bytes{};
    };
    std::vector<Share> waits_in;
    std::uint64_t reserved{};  // bytes of the link's own reserve
    std::uint64_t shared{};    // bytes in the shared pool
    std::uint32_t pool{};
    // The fill level in bytes at which the sender may resume, if `pool_used` bytes of the pool are in use.
    std::function<std::uint64_t(std::uint64_t pool_used)> resumes_below;
};

struct WaitingQueue {
    bool stuck{};                            // paused, and sent nothing for a while
    std::optional<std::uint32_t> neighbour;  // number of the ingress that it fills; none: it leads to a host
};

// Returns the numbers of the queues in the set, ascending; empty = no deadlock. Bytes outside the set are assumed to
// drain eventually, also from the pools. So a caller that has only a part of the occupancies gets only deadlocks that
// are certain.
std::vector<std::uint32_t> confirmed_deadlock(std::span<const WaitingQueue>, std::span<const Ingress>);

}  // namespace petrel::fabric
