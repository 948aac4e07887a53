// Builds a switch from its profile, and does its rare work: agenda entries, marking, limits, frames without a route.
#include <bit>

#include "base/assert.hpp"
#include "twin/digest.hpp"
#include "twin/switch_node.hpp"

namespace petrel::twin {

namespace {

constexpr std::uint32_t kQuantumUnit = 2048;  // bytes per round for a weight of one

template <std::size_t N>
void fill_pools(std::array<Pool, N>& pools, const std::vector<std::uint64_t>& sizes, std::uint64_t rest)
{
    if (sizes.empty())
        pools[0].size = rest;
    for (std::size_t i = 0; i != sizes.size(); ++i)
        pools[i].size = sizes[i];
}

}  // namespace

SwitchNode::SwitchNode(std::uint32_t id, std::uint8_t ports, const SwitchProfile& profile, std::uint32_t overhead_bytes,
                       std::uint64_t seed, std::span<const PauseTimes> pause_times, Arena& arena)
    : key_count_{(2U * ports + 1U + 3U) / 4U * 4U},
      port_count_{ports},
      digest_{mix(id, 1)},
      overhead_bytes_{overhead_bytes},
      salt_{static_cast<std::uint32_t>(mix(id, 2))},
      priority_of_dscp_{profile.priority_of_dscp},
      group_of_{profile.group_of_priority},
      queue_of_{profile.queue_of_priority},
      arena_{arena},
      id_{id},
      profile_{profile},
      pause_times_{pause_times},
      random_{mix(seed, id) | 1U}
{
    PETREL_ASSERT(ports <= kMaxPorts, "a switch has at most {} ports, not {}", kMaxPorts, ports);
    const std::size_t rows = ports * std::size_t{kPriorities};
    keys_ = arena.make<std::uint32_t>(key_count_).data();
    std::fill_n(keys_, key_count_, kNoEvent);
    at_ = arena.make<Ps>(std::size_t{2} * ports).data();
    std::fill_n(at_, std::size_t{2} * ports, kForever);
    outs_ = arena.make<OutPort>(ports).data();
    ins_ = arena.make<InPort>(ports).data();
    groups_ = arena.make<IngressGroup>(rows).data();
    queues_ = arena.make<EgressQueue>(rows).data();
    meters_ = arena.make<PauseMeter>(rows).data();
    extras_ = arena.make<QueueExtra>(rows).data();
    registers_ = arena.make<PortRegisters>(ports).data();
    status_ = arena.make<PortStatus>(ports).data();

    std::uint64_t reserved = 0;
    std::uint64_t headroom = 0;
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        const auto& made = profile.groups[group_of_[priority]];
        if (made.lossless)
            lossless_ |= static_cast<std::uint8_t>(1U << priority);
        if (profile.queues[priority].strict)
            strict_ |= static_cast<std::uint8_t>(1U << priority);
    }
    honours_ = profile.pause.global ? 0xff : lossless_;
    for (std::uint8_t port = 0; port != ports; ++port) {
        registers_[port].max_frame_bytes = profile.max_frame_bytes;
        registers_[port].pause_rx = honours_;
        registers_[port].pause_tx = lossless_;
        for (std::uint8_t i = 0; i != kPriorities; ++i) {
            const PgProfile& from = profile.groups[i];
            IngressGroup& line = group(port, i);
            line.reserved = from.reserved_bytes;
            line.headroom_limit = from.headroom_bytes;
            line.xon = from.xon_bytes;
            line.xon_offset = from.xon_offset_bytes;
            line.limit = from.limit;
            line.lossless = from.lossless;
            line.pool = from.pool;
            for (std::uint8_t priority = 0; priority != kPriorities; ++priority)
                if (group_of_[priority] == i)
                    line.priorities |= static_cast<std::uint8_t>(1U << priority);
            reserved += from.reserved_bytes;
            headroom += from.headroom_bytes;

            const QueueProfile& made = profile.queues[i];
            EgressQueue& out = queue(port, i);
            out.quantum = made.weight * kQuantumUnit;
            if (made.ecn.max_bytes != 0)
                out.watch = made.ecn.min_bytes;
            if (made.limit.mode != Limit::Mode::none)
                out.watch = 0;
        }
    }
    headroom_pool_.size = profile.shared_headroom_bytes.value_or(headroom);
    const std::uint64_t rest = profile.buffer_bytes - reserved - headroom_pool_.size;
    fill_pools(ingress_pools_, profile.ingress_pools, rest);
    fill_pools(egress_pools_, profile.egress_pools, rest);
}

void SwitchNode::set_route(std::uint32_t host, std::span<const std::uint16_t> ports)
{
    if (route_.size() <= host)
        route_.resize(host + std::size_t{1}, kNoRoute);
    if (ports.empty()) {
        route_[host] = kNoRoute;
    } else if (ports.size() == 1) {
        route_[host] = ports.front();
    } else {
        RouteGroup wanted;
        wanted.count = static_cast<std::uint8_t>(std::min(ports.size(), wanted.ports.size()));
        for (std::size_t i = 0; i != wanted.count; ++i)
            wanted.ports[i] = static_cast<std::uint8_t>(ports[i]);
        const auto same = [&](const RouteGroup& g) { return g.count == wanted.count && g.ports == wanted.ports; };
        const auto found = std::find_if(route_groups_.begin(), route_groups_.end(), same);
        route_[host] = static_cast<std::uint16_t>(kMaxPorts + (found - route_groups_.begin()));
        if (found == route_groups_.end())
            route_groups_.push_back(wanted);
    }
}

void SwitchNode::perform(const Todo& todo, Ps now)
{
    switch (todo.task) {
    case Task::refresh:
        if (todo.arg == status_[todo.port].speeds)
            refresh(todo.port, now);
        return;
    case Task::delayed_pause: {
        Packet frame;
        frame.flow = todo.arg;
        frame.seq_ttl = todo.queue;
        return apply_pause(todo.port, frame, now);
    }
    case Task::port_detector: return port_detector(todo.port, todo.queue, now);
    case Task::queue_detector: return queue_detector(todo.port, todo.queue, now);
    case Task::recovery_end: return recovery_end(todo.port, todo.queue, now);
    case Task::call: return agenda_.take_call(todo)(now);
    default: PETREL_ASSERT(false, "a switch has no task {}", static_cast<int>(todo.task));
    }
}

// Marks the packet with a probability that rises with the queue length between the two thresholds. Returns false if the
// packet exceeds the queue's limit.
bool SwitchNode::mark_or_refuse(std::uint8_t to, std::uint8_t q, Packet& p)
{
    const QueueProfile& made = profile_.queues[q];
    EgressQueue& line = queue(to, q);
    Pool& pool = egress_pools_[made.pool];
    if (made.limit.mode != Limit::Mode::none && line.bytes + p.bytes > threshold(made.limit, pool)) {
        ++extra(to, q).drops;
        count_drop(Drop::egress_full);
        return false;
    }
    if (made.limit.mode != Limit::Mode::none)
        pool.take(p.bytes);
    if (made.ecn.max_bytes == 0 || line.bytes < made.ecn.min_bytes || p.ecn() == 0)
        return true;
    bool marks = line.bytes >= made.ecn.max_bytes;
    if (!marks) {
        random_ ^= random_ << 13U;
        random_ ^= random_ >> 7U;
        random_ ^= random_ << 17U;
        const double above = line.bytes - made.ecn.min_bytes;
        const double chance = above / (made.ecn.max_bytes - made.ecn.min_bytes) * made.ecn.max_probability;
        marks = static_cast<double>(random_ >> 11U) * 0x1p-53 < chance;
    }
    if (marks) {
        p.tos |= kEcnMarked;
        ++extra(to, q).marked;
    }
    return true;
}

// A frame to an unknown address is dropped or flooded.
void SwitchNode::unroutable(std::uint8_t from, const Packet& p, std::uint8_t priority, Ps now)
{
    if (!profile_.flood_unknown)
        return count_drop(Drop::no_route);
    if ((refused(from) & (1U << priority)) != 0) {
        ++group(from, group_of_[priority]).rx_drops;
        return count_drop(Drop::mitigated_in);
    }
    std::uint64_t copies = 0;
    for (std::uint8_t to = 0; to != port_count_; ++to) {
        if (to == from || outs_[to].wire.far == nullptr)
            continue;
        ++copies;
        if (!outs_[to].odd || passes_registers(from, to, p, priority))
            forward(from, to, p, priority, now);
    }
    if (copies == 0)
        return count_drop(Drop::no_route);
    flooded_ += copies - 1;
}

}  // namespace petrel::twin
