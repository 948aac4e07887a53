#include "twin/setup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/check.hpp"
#include "twin/switch_node.hpp"

namespace petrel::twin {

namespace {

// Outside these limits the time of a byte overflows the port's 32 bits, or is rounded too much.
constexpr std::uint64_t kSlowest = 10'000'000;
constexpr std::uint64_t kFastest = 3'200'000'000'000;
constexpr std::uint32_t kSmallestFrame = 64;
constexpr std::uint32_t kMostNodes = 65'535;
constexpr std::size_t kMostPools = 4;
constexpr std::uint32_t kHeaviest = 10'000;  // weights are multiplied with a quantum

class Check {
public:
    explicit Check(const Setup& setup) : set_{setup} {}

    std::vector<std::string> all()
    {
        found_ = topology::problems(set_.topology);
        if (!found_.empty())
            return std::move(found_);
        nodes();
        links();
        require(set_.pause_times.size() <= 255, "{} rows of pause times; at most 255", set_.pause_times.size());
        require(set_.dcqcn.alpha_timer > 0 && set_.dcqcn.increase_timer > 0,
                "DCQCN: timers of {} ps (alpha) and {} ps (increase); at least 1", set_.dcqcn.alpha_timer,
                set_.dcqcn.increase_timer);
        for (std::size_t i = 0; i != set_.switch_profiles.size(); ++i)
            switch_profile(i);
        for (std::size_t i = 0; i != set_.nic_profiles.size(); ++i)
            nic_profile(i);
        for (std::size_t i = 0; i != set_.flows.size(); ++i)
            flow(i);
        return std::move(found_);
    }

private:
    template <class... Args>
    void require(bool holds, fmt::format_string<Args...> text, Args&&... args)
    {
        if (!holds)
            found_.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    bool is_host(NodeId id) const
    {
        return id.value < set_.topology.nodes.size() && set_.topology.nodes[id.value].kind == topology::Kind::host;
    }

    void nodes()
    {
        const auto& all = set_.topology.nodes;
        require(all.size() <= kMostNodes, "the topology has {} nodes; at most {}", all.size(), kMostNodes);
        for (std::size_t i = 0; i != all.size(); ++i) {
            const bool host = all[i].kind == topology::Kind::host;
            const std::size_t profiles = host ? set_.nic_profiles.size() : set_.switch_profiles.size();
            require(set_.profile(i) < profiles, "{} names profile {}; there are {}", all[i].name, set_.profile(i),
                    profiles);
            require(host || all[i].ports.size() <= SwitchNode::kMaxPorts, "switch {} has {} ports; at most {}",
                    all[i].name, all[i].ports.size(), SwitchNode::kMaxPorts);
        }
    }

    void links()
    {
        for (const auto& link : set_.topology.links) {
            const auto& from = set_.topology.nodes[link.ends[0].node.value].name;
            const auto& to = set_.topology.nodes[link.ends[1].node.value].name;
            require(link.speed.bps >= kSlowest && link.speed.bps <= kFastest,
                    "link {} - {} runs at {} b/s; {} to {} are possible", from, to, link.speed.bps, kSlowest, kFastest);
            require(link.delay.count() > 0, "link {} - {} has no delay; at least 1 ps is needed", from, to);
        }
    }

    void switch_profile(std::size_t index)
    {
        const SwitchProfile& p = set_.switch_profiles[index];
        std::size_t ports = 0;
        for (std::size_t i = 0; i != set_.topology.nodes.size(); ++i)
            if (!is_host(NodeId{static_cast<std::uint32_t>(i)}) && set_.profile(i) == index)
                ports = std::max(ports, set_.topology.nodes[i].ports.size());
        std::uint64_t reserved = 0;
        std::uint64_t headroom = 0;
        for (std::size_t g = 0; g != p.groups.size(); ++g) {
            reserved += ports * p.groups[g].reserved_bytes;
            headroom += ports * p.groups[g].headroom_bytes;
            limit(fmt::format("switch profile {}, priority group {}", index, g), p.groups[g].limit);
            require(p.groups[g].pool < kMostPools, "switch profile {}, priority group {}: pool {}; 0 to {}", index, g,
                    p.groups[g].pool, kMostPools - 1);
        }
        for (std::size_t q = 0; q != p.queues.size(); ++q) {
            const QueueProfile& queue = p.queues[q];
            limit(fmt::format("switch profile {}, queue {}", index, q), queue.limit);
            require(queue.pool < kMostPools, "switch profile {}, queue {}: pool {}; 0 to {}", index, q, queue.pool,
                    kMostPools - 1);
            require(queue.weight >= 1 && queue.weight <= kHeaviest, "switch profile {}, queue {}: weight {}; 1 to {}",
                    index, q, queue.weight, kHeaviest);
            require(queue.ecn.max_bytes == 0 || queue.ecn.min_bytes < queue.ecn.max_bytes,
                    "switch profile {}, queue {}: ECN from {} to {} bytes; the first has to be less", index, q,
                    queue.ecn.min_bytes, queue.ecn.max_bytes);
        }
        headroom = p.shared_headroom_bytes.value_or(headroom);
        require(reserved + headroom < p.buffer_bytes,
                "switch profile {}: {} ports reserve {} and need {} bytes of headroom; the buffer has {}", index, ports,
                reserved, headroom, p.buffer_bytes);
        pools(index, "ingress", p.ingress_pools, p.buffer_bytes - std::min(p.buffer_bytes, reserved + headroom));
        pools(index, "egress", p.egress_pools, p.buffer_bytes);
        for (std::size_t d = 0; d != p.priority_of_dscp.size(); ++d)
            require(p.priority_of_dscp[d] < kPriorities, "switch profile {}: DSCP {} has priority {}; 0 to 7", index, d,
                    p.priority_of_dscp[d]);
        for (std::size_t i = 0; i != kPriorities; ++i) {
            require(p.group_of_priority[i] < kPriorities, "switch profile {}: priority {} has group {}; 0 to 7", index,
                    i, p.group_of_priority[i]);
            require(p.queue_of_priority[i] < kPriorities, "switch profile {}: priority {} has queue {}; 0 to 7", index,
                    i, p.queue_of_priority[i]);
        }
    }

    void pools(std::size_t index, const char* side, const std::vector<std::uint64_t>& sizes, std::uint64_t room)
    {
        std::uint64_t sum = 0;
        for (auto size : sizes)
            sum += size;
        require(sizes.size() <= kMostPools, "switch profile {}: {} {} pools; at most {}", index, sizes.size(), side,
                kMostPools);
        require(sum <= room, "switch profile {}: the {} pools have {} bytes; the buffer has room for {}", index, side,
                sum, room);
    }

    void limit(const std::string& what, const Limit& l)
    {
        require(l.mode != Limit::Mode::dynamic || (l.alpha_exponent >= -8 && l.alpha_exponent <= 8),
                "{}: alpha = 2^{}; -8 to 8", what, l.alpha_exponent);
    }

    void nic_profile(std::size_t index)
    {
        const NicProfile& p = set_.nic_profiles[index];
        require(p.xon_bytes <= p.xoff_bytes && p.xoff_bytes <= p.buffer_bytes,
                "NIC profile {}: XON at {}, XOFF at {}, buffer {} bytes; each at most the next", index, p.xon_bytes,
                p.xoff_bytes, p.buffer_bytes);
        require(p.drain.bps == 0 || p.drain.bps >= kSlowest, "NIC profile {}: drains at {} b/s; 0 or at least {}",
                index, p.drain.bps, kSlowest);
        require(p.ack_bytes >= kSmallestFrame, "NIC profile {}: ACKs of {} bytes; at least {}", index, p.ack_bytes,
                kSmallestFrame);
    }

    void flow(std::size_t index)
    {
        const Flow& f = set_.flows[index];
        require(is_host(f.src) && is_host(f.dst), "flow {}: from node {} to node {}; both have to be hosts", index,
                f.src.value, f.dst.value);
        require(f.src != f.dst, "flow {}: from node {} to itself", index, f.src.value);
        require(f.frame_bytes >= kSmallestFrame, "flow {}: frames of {} bytes; at least {}", index, f.frame_bytes,
                kSmallestFrame);
        for (std::size_t i = 0; i != set_.switch_profiles.size(); ++i)
            require(f.frame_bytes <= set_.switch_profiles[i].max_frame_bytes,
                    "flow {}: frames of {} bytes; switch profile {} passes at most {}", index, f.frame_bytes, i,
                    set_.switch_profiles[i].max_frame_bytes);
        require(f.dscp < 64, "flow {}: DSCP {}; 0 to 63", index, f.dscp);
        require(f.packets < UINT32_MAX, "flow {}: {} packets; at most {}", index, f.packets, UINT32_MAX - 1);
        require(f.rate.bps == 0 || f.rate.bps >= kSlowest, "flow {}: {} b/s; 0 (line rate) or at least {}", index,
                f.rate.bps, kSlowest);
        require(f.reliable || f.window_packets == 0, "flow {}: a window of {} packets, but nothing is acknowledged",
                index, f.window_packets);
        require(f.start <= f.stop, "flow {}: starts at {} ps and stops at {} ps", index, f.start, f.stop);
    }

    const Setup& set_;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> problems(const Setup& setup) { return Check{setup}.all(); }

}  // namespace petrel::twin
