#include "twin/border.hpp"

#include <algorithm>
#include <bit>

namespace petrel::twin {

Border::Border(Peers& peers, std::vector<unsigned> share, std::span<const NodeRef> nodes, Arena& arena)
    : peers_{peers},
      rank_{peers.rank()},
      share_{std::move(share)},
      nodes_{nodes},
      arena_{arena},
      outgoing_(peers.count())
{
    for (std::uint32_t node = 0; node != nodes.size(); ++node)
        if (!ours(node))
            remote_.push_back(node);
}

void Border::collect(std::span<Mail> mail)
{
    for (const std::uint32_t node : remote_) {
        for (std::uint64_t ports = mail[node].ports; ports != 0; ports &= ports - 1) {
            const auto port = static_cast<std::uint32_t>(std::countr_zero(ports));
            WireOut& wire = nodes_[node].in(port).wire;
            const auto view = wire.view();
            auto head = wire.head.load(std::memory_order_relaxed);
            for (; WireOut::arrival(view[head]) != kForever; ++head)
                outgoing_[share_[node]].push_back({view[head].at, view[head].packet, node, port});
            wire.head.store(head, std::memory_order_release);
        }
        earliest_out_ = std::min(earliest_out_, mail[node].earliest);
        mail[node] = {};
    }
}

Outlook Border::exchange(Outlook ours)
{
    ours.earliest = std::min(ours.earliest, earliest_out_);
    const Outlook all = peers_.exchange(ours, outgoing_, incoming_);
    for (auto& frames : outgoing_)
        frames.clear();
    earliest_out_ = kForever;
    for (const BorderFrame& frame : incoming_) {
        const OutPort& back = nodes_[frame.node].out(frame.port);  // the peer of the receiving port is the sender
        nodes_[back.peer].out(back.peer_port).wire.put(frame.at, frame.packet, arena_);
    }
    return all;
}

}  // namespace petrel::twin
