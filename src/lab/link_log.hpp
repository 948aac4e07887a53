// Looks after the links of a twin: a manager sweeps, logs why ends went down, arms the links that came up and then
// activates them. Traffic does not wait for it, so watching changes nothing.
//
// Contract: stays where it is made, outlives the runs of the twin. A keeper knows each of its ports for itself; so
// every node has one of its own, whose sweeps are calls of Twin::at on that node, and all of them together are the
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
    // From now on, every `sweep`; zero: there is no manager, and nothing is logged or cleared.
    LinkLog(twin::Twin&, twin::Ps sweep);
    LinkLog(const LinkLog&) = delete;
    LinkLog& operator=(const LinkLog&) = delete;

    // Of the links that went down at least once; between two runs. Of processes that share a twin, all have to ask.
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
