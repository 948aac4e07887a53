// Where this process's share of a twin ends. Nodes of other shares exist here too but never run: what ours send to them
// waits in their wires until the window is over, then goes to the process that runs them; what comes from there is put
// on the wire as if its sender had run here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "twin/node_ref.hpp"
#include "twin/peers.hpp"

namespace petrel::twin {

class Border {
public:
    // `share`: by node, the process that runs it.
    Border(Peers&, std::vector<unsigned> share, std::span<const NodeRef> nodes, Arena&);

    Peers& peers() const { return peers_; }
    unsigned share(std::uint32_t node) const { return share_[node]; }
    bool ours(std::uint32_t node) const { return share_[node] == rank_; }

    // Takes what was sent to others' nodes, with the mail that tells of it (by node).
    void collect(std::span<Mail> mail);
    // Hands it over. Returns the outlook of all; `received()` are the frames that are new on our wires.
    Outlook exchange(Outlook ours);
    std::span<const BorderFrame> received() const { return incoming_; }

private:
    Peers& peers_;
    unsigned rank_;
    std::vector<unsigned> share_;
    std::span<const NodeRef> nodes_;
    Arena& arena_;
    std::vector<std::uint32_t> theirs_;               // nodes
    std::vector<std::vector<BorderFrame>> outgoing_;  // by process
    Ps earliest_out_{kForever};
    std::vector<BorderFrame> incoming_;
};

}  // namespace petrel::twin
