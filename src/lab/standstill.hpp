// Finds nodes that have something to send and send nothing, and queues that wait for each other for ever. The
// constructor stores the state at one moment; the functions compare it with the state at a later one. Both moments are
// between two pieces of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "twin/twin.hpp"

namespace petrel::lab {

class Standstill {
public:
    explicit Standstill(const twin::Twin&);

    // The number of nodes among these (none = all) that stand still. A switch does if it had lossless frames waiting at
    // both moments and sent none. A host does if it had flows to send and they were paused all the time.
    std::uint64_t frozen(const std::vector<twin::NodeId>&) const;

    // The number of switch queues in a confirmed deadlock, among those that were paused and have sent nothing since.
    std::uint64_t deadlocked() const;

private:
    bool switch_froze(twin::NodeId) const;
    bool host_froze(twin::NodeId) const;

    const twin::Twin& twin_;
    twin::Ps since_{};
    // [node]: for a switch the packets that it has sent, by port and priority; for a host its pause time, by priority.
    std::vector<std::vector<std::uint64_t>> marks_;
    std::vector<std::uint64_t> waiting_;  // [node]: lossless bytes
};

}  // namespace petrel::lab
