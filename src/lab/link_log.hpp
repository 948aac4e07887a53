// The manager of a twin's links. It sweeps all ports, logs why ends went down, arms the links that came up and then
// activates them. Traffic does not wait for it, so it does not change the run.
//
// Contract: the object must not move and must outlive the runs of the twin. A LinkKeeper handles each port on its own.
// So every node has its own keeper, which sweeps in calls of Twin::at on that node. All keepers together are the
// manager.
#pragma once

#include <deque>
#include <vector>

#include "link/link_keeper.hpp"
#include "scenario/link_story.hpp"
#include "twin/twin.hpp"

namespace petrel::lab {

class LinkLog {
public:
    // Sweeps every `sweep` from now on. Zero: there is no manager, and nothing is logged or cleared.
    LinkLog(twin::Twin&, twin::Ps sweep);
    LinkLog(const LinkLog&) = delete;
    LinkLog& operator=(const LinkLog&) = delete;

    // The links that went down at least once. Call it between two runs. If several processes share the twin, every
    // process must call it.
    std::vector<scenario::LinkStory> stories();

private:
    struct Node {
        twin::NodeId id;
        link::LinkKeeper keeper;
    };

    void sweep(Node&, twin::Ps now);

    twin::Twin& twin_;
    twin::Ps every_;
    std::deque<Node> nodes_;  // by id
};

}  // namespace petrel::lab
