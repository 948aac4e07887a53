#include "fabric/deadlock.hpp"

#include <algorithm>

namespace petrel::fabric {

namespace {

// The bytes that remain when all queues outside the set have drained.
struct Remains {
    std::vector<std::uint64_t> bytes;  // [ingress]
    std::vector<std::uint64_t> used;   // [pool]
};

Remains remains(std::span<const Ingress> ingresses, const std::vector<bool>& in_set)
{
    Remains left;
    for (const auto& ingress : ingresses) {
        std::uint64_t bytes = 0;
        for (const auto& share : ingress.waits_in) {
            bytes += in_set[share.queue] ? share.bytes : 0;
        }
        left.bytes.push_back(bytes);
        if (left.used.size() <= ingress.pool) {
            left.used.resize(ingress.pool + 1);
        }
        left.used[ingress.pool] += std::min(ingress.shared, bytes > ingress.reserved ? bytes - ingress.reserved : 0);
    }
    return left;
}

}  // namespace

// Start with all stuck queues. Remove each queue that could resume with the bytes that remain, and repeat until no
// queue is removed.
std::vector<std::uint32_t> confirmed_deadlock(std::span<const WaitingQueue> queues, std::span<const Ingress> ingresses)
{
    std::vector<bool> in_set;
    for (const auto& queue : queues) {
        in_set.push_back(queue.stuck && queue.neighbour.has_value());
    }
    for (bool somebody_left = true; somebody_left;) {
        somebody_left = false;
        const auto left = remains(ingresses, in_set);
        for (std::size_t i = 0; i < queues.size(); ++i) {
            if (!in_set[i]) {
                continue;
            }
            const auto& ingress = ingresses[*queues[i].neighbour];
            if (left.bytes[*queues[i].neighbour] <= ingress.resumes_below(left.used[ingress.pool])) {
                in_set[i] = false;
                somebody_left = true;
            }
        }
    }
    std::vector<std::uint32_t> set;
    for (std::uint32_t i = 0; i < in_set.size(); ++i) {
        if (in_set[i]) {
            set.push_back(i);
        }
    }
    return set;
}

}  // namespace petrel::fabric
