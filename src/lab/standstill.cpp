#include "lab/standstill.hpp"

#include <algorithm>
#include <map>

#include "fabric/deadlock.hpp"

namespace petrel::lab {

namespace {

using twin::NodeId;
using twin::Ps;

bool lossless(const twin::SwitchView& view, std::uint8_t priority)
{
    return (unsigned{view.lossless()} >> priority & 1U) != 0;
}

// By port and priority, also of those that are not lossless: their place is kept.
template <class Visit>
void each_queue(const twin::SwitchView& view, const Visit& visit)
{
    for (std::uint8_t port = 0; port < view.ports(); ++port) {
        for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
            visit(port, priority);
        }
    }
}

twin::QueueReading queue_of(const twin::SwitchView& view, std::uint8_t port, std::uint8_t priority, Ps now)
{
    return view.queue(port, view.profile().queue_of_priority[priority], now);
}

std::size_t place(std::uint8_t port, std::uint8_t priority) { return port * std::size_t{kPriorities} + priority; }

std::uint64_t lossless_bytes(const twin::SwitchView& view, Ps now)
{
    std::uint64_t sum = 0;
    each_queue(view, [&](std::uint8_t port, std::uint8_t priority) {
        sum += lossless(view, priority) ? queue_of(view, port, priority, now).bytes : 0;
    });
    return sum;
}

std::vector<std::uint64_t> sent_by(const twin::Twin& twin, NodeId node)
{
    std::vector<std::uint64_t> sent;
    if (twin.is_switch(node)) {
        const auto view = twin.switch_view(node);
        each_queue(view, [&](std::uint8_t port, std::uint8_t priority) {
            sent.push_back(queue_of(view, port, priority, twin.now()).tx_packets);
        });
        return sent;
    }
    const auto& flows = twin.setup().flows;
    for (std::uint32_t i = 0; i < flows.size(); ++i) {
        if (flows[i].src == node) {
            sent.push_back(twin.flow(i).sent);
        }
    }
    return sent;
}

// The queues of all switches as one list, and who waits in whose.
class WaitingGraph {
public:
    explicit WaitingGraph(const twin::Twin& twin) : twin_(twin)
    {
        const auto& topology = twin.setup().topology;
        for (std::uint32_t id = 0; id < topology.nodes.size(); ++id) {
            first_.push_back(count_);
            if (twin.is_switch(NodeId{id})) {
                count_ += static_cast<std::uint32_t>(topology.nodes[id].ports.size() * kPriorities);
            }
        }
        for (const auto& link : topology.links) {
            far_[link.ends[0]] = link.ends[1];
            far_[link.ends[1]] = link.ends[0];
        }
    }

    std::vector<fabric::WaitingQueue> queues(const std::vector<std::vector<std::uint64_t>>& sent) const
    {
        std::vector<fabric::WaitingQueue> all(count_);
        for (std::uint32_t id = 0; id < first_.size(); ++id) {
            if (!twin_.is_switch(NodeId{id})) {
                continue;
            }
            const auto view = twin_.switch_view(NodeId{id});
            each_queue(view, [&](std::uint8_t port, std::uint8_t priority) {
                const auto reading = queue_of(view, port, priority, twin_.now());
                auto& queue = all[number(NodeId{id}, port, priority)];
                const auto far = far_.find({NodeId{id}, port});
                if (far == far_.end() || !twin_.is_switch(far->second.node) || !lossless(view, priority)) {
                    return;
                }
                queue.stuck =
                    reading.paused && reading.bytes != 0 && reading.tx_packets == sent[id][place(port, priority)];
                if (queue.stuck) {
                    fill_in(queue, far->second, priority);
                }
            });
        }
        return all;
    }

private:
    std::uint32_t number(NodeId node, std::uint8_t port, std::uint8_t priority) const
    {
        return first_[node.value] + static_cast<std::uint32_t>(place(port, priority));
    }

    // What came to the neighbour by this link, and where it waits there.
    void fill_in(fabric::WaitingQueue& queue, const topology::End& at, std::uint8_t priority) const
    {
        const auto view = twin_.switch_view(at.node);
        const auto in = static_cast<std::uint8_t>(at.port);
        queue.resumes_below = view.resumes_below(in, view.profile().group_of_priority[priority]);
        for (std::uint8_t port = 0; port < view.ports(); ++port) {
            if (const auto bytes = view.waiting(in, port, view.profile().queue_of_priority[priority]); bytes != 0) {
                queue.waits_in.push_back({number(at.node, port, priority), bytes});
            }
        }
    }

    const twin::Twin& twin_;
    std::uint32_t count_{};
    std::vector<std::uint32_t> first_;  // [node]: the number of its first queue
    std::map<topology::End, topology::End> far_;
};

}  // namespace

Standstill::Standstill(const twin::Twin& twin) : twin_(twin), since_(twin.now())
{
    const auto nodes = static_cast<std::uint32_t>(twin.setup().topology.nodes.size());
    for (std::uint32_t id = 0; id < nodes; ++id) {
        sent_.push_back(sent_by(twin, NodeId{id}));
        waiting_.push_back(twin.is_switch(NodeId{id}) ? lossless_bytes(twin.switch_view(NodeId{id}), since_) : 0);
    }
}

std::uint64_t Standstill::frozen(const std::vector<NodeId>& nodes) const
{
    std::uint64_t count = 0;
    for (std::uint32_t id = 0; id < sent_.size(); ++id) {
        const NodeId node{id};
        if (nodes.empty() || std::find(nodes.begin(), nodes.end(), node) != nodes.end()) {
            count += (twin_.is_switch(node) ? switch_froze(node) : host_froze(node)) ? 1U : 0U;
        }
    }
    return count;
}

bool Standstill::switch_froze(NodeId node) const
{
    const auto view = twin_.switch_view(node);
    if (waiting_[node.value] == 0 || lossless_bytes(view, twin_.now()) == 0) {
        return false;
    }
    bool sent_nothing = true;
    each_queue(view, [&](std::uint8_t port, std::uint8_t priority) {
        sent_nothing =
            sent_nothing && (!lossless(view, priority) || queue_of(view, port, priority, twin_.now()).tx_packets ==
                                                              sent_[node.value][place(port, priority)]);
    });
    return sent_nothing;
}

bool Standstill::host_froze(NodeId node) const
{
    const auto& flows = twin_.setup().flows;
    bool wanted = false;
    std::size_t own = 0;
    for (std::uint32_t i = 0; i < flows.size(); ++i) {
        if (flows[i].src != node) {
            continue;
        }
        const auto flow = twin_.flow(i);
        const bool active = flows[i].start <= since_ && flows[i].stop >= twin_.now() && !flow.finished;
        if (active && flow.sent != sent_[node.value][own]) {
            return false;
        }
        wanted = wanted || active;
        ++own;
    }
    return wanted;
}

std::uint64_t Standstill::deadlocked() const
{
    return fabric::confirmed_deadlock(WaitingGraph{twin_}.queues(sent_)).size();
}

}  // namespace petrel::lab
