#include "fabric/deadlock.hpp"

#include <algorithm>

namespace petrel::fabric {

// Everybody who is stuck is suspected. Who would be let go once all that is not suspected has drained, is not; whoever
// counted on him is looked at again. What remains holds itself.
std::vector<std::uint32_t> confirmed_deadlock(std::span<const WaitingQueue> queues)
{
    const auto count = static_cast<std::uint32_t>(queues.size());
    std::vector<std::uint64_t> held(count);  // of each, in queues of the set
    std::vector<std::vector<std::uint32_t>> counts_on(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const auto& share : queues[i].waits_in) {
            if (queues[i].stuck && queues[share.queue].stuck) {
                held[i] += share.bytes;
                counts_on[share.queue].push_back(i);
            }
        }
    }
    std::vector<bool> in_set(count);
    std::vector<std::uint32_t> leaving;
    const auto must_leave = [&](std::uint32_t i) { return held[i] <= queues[i].resumes_below; };
    for (std::uint32_t i = 0; i < count; ++i) {
        in_set[i] = queues[i].stuck;
        if (in_set[i] && must_leave(i)) {
            in_set[i] = false;
            leaving.push_back(i);
        }
    }
    while (!leaving.empty()) {
        const auto gone = leaving.back();
        leaving.pop_back();
        for (const auto other : counts_on[gone]) {
            for (const auto& share : queues[other].waits_in) {
                held[other] -= share.queue == gone ? share.bytes : 0;
            }
            if (in_set[other] && must_leave(other)) {
                in_set[other] = false;
                leaving.push_back(other);
            }
        }
    }
    std::vector<std::uint32_t> set;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (in_set[i]) {
            set.push_back(i);
        }
    }
    return set;
}

}  // namespace petrel::fabric
