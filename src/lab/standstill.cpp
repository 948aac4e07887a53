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

// Visits all queues by port and priority. Queues that are not lossless are included, so that each queue has a fixed
// index.
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

std::vector<std::uint64_t> marks_of(const twin::Twin& twin, NodeId node)
{
    std::vector<std::uint64_t> marks;
    if (twin.is_switch(node)) {
        const auto view = twin.switch_view(node);
        each_queue(view, [&](std::uint8_t port, std::uint8_t priority) {
            marks.push_back(queue_of(view, port, priority, twin.now()).tx_packets);
        });
        return marks;
    }
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
        marks.push_back(twin.nic_view(node).read(priority, twin.now()).paused_for);
    }
    return marks;
}

// Lists the queues of all switches, and the ingress sides of their links, for the deadlock search.
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

    std::vector<std::uint32_t> deadlock(const std::vector<std::vector<std::uint64_t>>& sent) const
    {
        std::vector<fabric::WaitingQueue> queues(count_);
        std::vector<fabric::Ingress> ingresses(count_);  // by the port and priority of the side that receives
        for (std::uint32_t id = 0; id < first_.size(); ++id) {
            if (!twin_.is_switch(NodeId{id})) {
                continue;
            }
            const auto view = twin_.switch_view(NodeId{id});
            each_queue(view, [&](std::uint8_t port, std::uint8_t priority) {
                if (!lossless(view, priority)) {
                    return;
                }
                const auto own = number(NodeId{id}, port, priority);
                queues[own] = queue(NodeId{id}, port, priority, sent[id][place(port, priority)]);
                ingresses[own] = ingress(NodeId{id}, port, priority);
            });
        }
        for (auto& one : ingresses) {
            if (!one.resumes_below) {  // not lossless: no queue waits for it
                one.resumes_below = [](std::uint64_t) { return twin::kForever; };
            }
        }
        return fabric::confirmed_deadlock(queues, ingresses);
    }

private:
    static constexpr std::uint32_t kPools = 4;  // of a switch, at most

    std::uint32_t number(NodeId node, std::uint8_t port, std::uint8_t priority) const
    {
        return first_[node.value] + static_cast<std::uint32_t>(place(port, priority));
    }

    fabric::WaitingQueue queue(NodeId node, std::uint8_t port, std::uint8_t priority, std::uint64_t sent) const
    {
        fabric::WaitingQueue queue;
        const auto far = far_.find({node, port});
        if (far == far_.end() || !twin_.is_switch(far->second.node)) {
            return queue;
        }
        const auto reading = queue_of(twin_.switch_view(node), port, priority, twin_.now());
        queue.stuck = reading.paused && reading.bytes != 0 && reading.tx_packets == sent;
        queue.neighbour = number(far->second.node, static_cast<std::uint8_t>(far->second.port), priority);
        return queue;
    }

    fabric::Ingress ingress(NodeId node, std::uint8_t in, std::uint8_t priority) const
    {
        const auto view = twin_.switch_view(node);
        const auto group = view.profile().group_of_priority[priority];
        const auto reading = view.group(in, group);
        fabric::Ingress ingress;
        ingress.reserved = reading.bytes - reading.shared_bytes;
        ingress.shared = reading.shared_bytes;
        ingress.pool = node.value * kPools + view.pool_of(in, group);
        ingress.resumes_below = [view, in, group](std::uint64_t used) { return view.resumes_below(in, group, used); };
        for (std::uint8_t out = 0; out < view.ports(); ++out) {
            if (const auto bytes = view.waiting(in, out, view.profile().queue_of_priority[priority]); bytes != 0) {
                ingress.waits_in.push_back({number(node, out, priority), bytes});
            }
        }
        return ingress;
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
        marks_.push_back(marks_of(twin, NodeId{id}));
        waiting_.push_back(twin.is_switch(NodeId{id}) ? lossless_bytes(twin.switch_view(NodeId{id}), since_) : 0);
    }
}

std::uint64_t Standstill::frozen(const std::vector<NodeId>& nodes) const
{
    std::uint64_t count = 0;
    for (std::uint32_t id = 0; id < marks_.size(); ++id) {
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
    bool marks_nothing = true;
    each_queue(view, [&](std::uint8_t port, std::uint8_t priority) {
        marks_nothing =
            marks_nothing && (!lossless(view, priority) || queue_of(view, port, priority, twin_.now()).tx_packets ==
                                                               marks_[node.value][place(port, priority)]);
    });
    return marks_nothing;
}

// Pause time decides, because retransmissions distort the count of frames that a flow has sent.
bool Standstill::host_froze(NodeId node) const
{
    const auto paused = marks_of(twin_, node);
    const auto& setup = twin_.setup();
    bool wanted = false;
    for (std::uint32_t i = 0; i < setup.flows.size(); ++i) {
        const auto& flow = setup.flows[i];
        if (flow.src != node || flow.start > since_ || flow.stop < twin_.now() || twin_.flow(i).finished) {
            continue;
        }
        const auto priority = twin_.nic_view(node).priority_of(flow.dscp);
        if (paused[priority] - marks_[node.value][priority] < twin_.now() - since_) {
            return false;
        }
        wanted = true;
    }
    return wanted;
}

std::uint64_t Standstill::deadlocked() const { return WaitingGraph{twin_}.deadlock(marks_).size(); }

}  // namespace petrel::lab
