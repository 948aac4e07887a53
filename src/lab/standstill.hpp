// Who stands still: nodes that have something to send and send none of it, and queues that wait for each other for
// ever. Taken at one moment and asked at a later one, both between two pieces of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "twin/twin.hpp"

namespace petrel::lab {

class Standstill {
public:
    explicit Standstill(const twin::Twin&);

    // Of these nodes (none = all): a switch with lossless frames waiting then and now that sent none; a host whose
    // flows were to send and were paused all the time.
    std::uint64_t frozen(const std::vector<twin::NodeId>&) const;

    // Queues of switches in a confirmed deadlock, among those that were paused and sent nothing since.
    std::uint64_t deadlocked() const;

private:
    bool switch_froze(twin::NodeId) const;
    bool host_froze(twin::NodeId) const;

    const twin::Twin& twin_;
    twin::Ps since_{};
    // [node]: of a switch what it has sent, by port and priority; of a host how long it has been paused, by priority.
    std::vector<std::vector<std::uint64_t>> marks_;
    std::vector<std::uint64_t> waiting_;  // [node]: lossless bytes
};

}  // namespace petrel::lab
