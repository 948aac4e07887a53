// The border between the share of this process and the shares of other processes. Nodes of other shares exist here too
// but never run. Frames sent to them wait in their wires until the end of the window and then go to the process that
// runs them. Frames from other processes are put on the wire as if the sender had run here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "twin/node_ref.hpp"
#include "twin/peers.hpp"

namespace petrel::twin {

class Border {
public:
    // `share`: for each node, the process that runs it.
    Border(Peers&, std::vector<unsigned> share, std::span<const NodeRef> nodes, Arena&);

    Peers& peers() const { return peers_; }
    unsigned share(std::uint32_t node) const { return share_[node]; }
    bool ours(std::uint32_t node) const { return share_[node] == rank_; }

    // Takes the frames sent to nodes of other shares, and their mail (indexed by node).
    void collect(std::span<Mail> mail);
    // Sends the collected frames to the other processes. Returns the combined outlook; received() are the frames that
    // were put on our wires.
    Outlook exchange(Outlook ours);
    std::span<const BorderFrame> received() const { return incoming_; }

private:
    Peers& peers_;
    unsigned rank_;
    std::vector<unsigned> share_;
    std::span<const NodeRef> nodes_;
    Arena& arena_;
    std::vector<std::uint32_t> remote_;               // nodes
    std::vector<std::vector<BorderFrame>> outgoing_;  // by process
    Ps earliest_out_{kForever};
    std::vector<BorderFrame> incoming_;
};

}  // namespace petrel::twin
