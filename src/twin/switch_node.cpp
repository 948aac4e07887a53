#include "twin/switch_node.hpp"

#include <bit>

#include "base/assert.hpp"
#include "twin/bits.hpp"
#include "twin/digest.hpp"
#include "twin/event_keys.hpp"

namespace petrel::twin {

namespace {

constexpr std::uint64_t port_bit(std::uint8_t port) { return std::uint64_t{1} << port; }

}  // namespace

inline std::uint8_t SwitchNode::route(const Packet& p) const
{
    const std::uint16_t entry = route_[p.dst];
    if (entry < kMaxPorts)
        return static_cast<std::uint8_t>(entry);
    if (entry == kNoRoute)
        return kMaxPorts;
    // The ECMP hash: the packet's 13 bits and the switch's salt, multiplied by the golden ratio. The high half selects
    // the port.
    const RouteGroup& group = route_groups_[entry - kMaxPorts];
    const std::uint32_t hash = ((p.hash_kind >> 3U) ^ salt_) * 0x9e37'79b1U >> 16U;
    return group.ports[hash * group.count >> 16U];
}

Ps SwitchNode::run(const Window& window, std::uint64_t mail_in, Mail* mail_out)
{
    window_ = window;
    mail_ = mail_out;
    rx_pending_ |= mail_in;
    for_each_bit(tx_pending_, [&](std::uint8_t port) { keys_[port] = event_key(window_, at_[port], port); });
    for_each_bit(rx_pending_, [&](std::uint8_t port) { arm_arrival(port); });
    arm_agenda();

    for (;;) {
        const std::uint32_t key = least(keys_, key_count_);
        if (key == kNoEvent)
            break;
        const std::uint32_t source = key & kSourceMask;
        const Ps now = window_.begin + (key >> kSourceBits);
        ++events_;
        if (source < port_count_) {
            opportunity(static_cast<std::uint8_t>(source), now);
        } else if (source < 2U * port_count_) {
            const auto port = static_cast<std::uint8_t>(source - port_count_);
            WireOut& wire = ins_[port].wire;
            const std::uint32_t head = wire.head.load(std::memory_order_relaxed);
            const Packet packet = wire.view()[head].packet;
            wire.head.store(head + 1, std::memory_order_release);
            arm_arrival(port);
            arrive(port, packet, now);
        } else {
            perform(agenda_.pop(), now);
            arm_agenda();
        }
    }

    Ps next = agenda_.next();
    for_each_bit(tx_pending_, [&](std::uint8_t port) { next = std::min(next, at_[port]); });
    for_each_bit(rx_pending_, [&](std::uint8_t port) { next = std::min(next, at_[port_count_ + port]); });
    return next;
}

// Registers the arrival of the frame at the head of the wire. If it arrives in this window, its cache lines are
// prefetched.
inline void SwitchNode::arm_arrival(std::uint8_t port)
{
    const std::uint32_t source = std::uint32_t{port_count_} + port;
    WireOut& wire = ins_[port].wire;
    InFlight& front = wire.view()[wire.head.load(std::memory_order_relaxed)];
    const Ps at = WireOut::arrival(front);
    at_[source] = at;
    if (at < window_.end) {
        keys_[source] = event_key(window_, at, source);
        const std::uint8_t to = route(front.packet);
        const std::uint8_t priority = priority_of_dscp_[front.packet.dscp()];
        if (to < kMaxPorts) {
            __builtin_prefetch(&outs_[to], 1);
            __builtin_prefetch(&queue(to, queue_of_[priority]), 1);
            __builtin_prefetch(&group(port, group_of_[priority]), 1);
        }
    } else {
        keys_[source] = kNoEvent;
        if (at == kForever)
            rx_pending_ &= ~port_bit(port);
    }
}

void SwitchNode::arm_agenda()
{
    const std::uint32_t source = 2U * port_count_;
    keys_[source] = event_key(window_, agenda_.next(), source);
}

// ---------------------------------------------------------------------------------------------------- coming in

inline void SwitchNode::arrive(std::uint8_t port, const Packet& packet, Ps now)
{
    InPort& in = ins_[port];
    ++arrivals_;
    ++in.frames;
    digest_ = digest_arrival(digest_, now, packet);
    if (in.odd) [[unlikely]] {
        if (in.tap != nullptr)
            in.tap->take(now, packet);
        if (in.down && packet.kind() != Kind::signal) {
            if (!packet.is_control())
                count_drop(Drop::link_down);
            return;
        }
    }
    if (packet.is_control()) [[unlikely]] {
        if (packet.kind() == Kind::signal)
            return set_signal(port, packet.seq() != 0, sent_reason(packet), now);
        return receive_pause(port, packet, now);
    }
    Packet next = packet;
    next.seq_ttl -= 1U << 24U;
    if (next.ttl() == 0) [[unlikely]]
        return count_drop(Drop::ttl);
    const std::uint8_t priority = priority_of_dscp_[packet.dscp()];
    const std::uint8_t to = route(packet);
    if (to == kMaxPorts) [[unlikely]]
        return unroutable(port, next, priority, now);
    if (in.odd || outs_[to].odd) [[unlikely]] {
        if (!passes_registers(port, to, next, priority))
            return;
    }
    forward(port, to, next, priority, now);
}

void SwitchNode::forward(std::uint8_t from, std::uint8_t to, Packet p, std::uint8_t priority, Ps now)
{
    IngressGroup& in = group(from, group_of_[priority]);
    const std::uint8_t q = queue_of_[priority];
    EgressQueue& queue_line = queue(to, q);
    OutPort& out = outs_[to];
    const std::uint8_t bit = mask_of(q);
    ++in.rx_packets;

    if ((out.nonempty | out.pause_due | out.held | (out.paused & bit)) == 0 &&
        out.free_at <= now) {  // idle output: send at once
        ++queue_line.tx_packets;
        queue_line.tx_bytes += p.bytes;
        transmit(out, p, now, overhead_bytes_, mail_, arena_);
        return;
    }

    Pool& pool = ingress_pools_[in.pool];
    if (!in.admit(p.bytes, pool, headroom_pool_)) [[unlikely]] {
        ++in.rx_drops;
        count_drop(in.lossless ? Drop::headroom : Drop::ingress_full);
        if (in.lossless && !in.xoff)  // without headroom: unless the sender is paused, its frames are dropped forever
            stop_sender(from, in, now);
        return;
    }
    if (queue_line.bytes >= queue_line.watch) [[unlikely]] {
        if (!mark_or_refuse(to, q, p))
            return in.release(p.bytes, pool, headroom_pool_);
    }
    p.ingress = from;
    queue_line.ring.push(p, arena_);
    queue_line.bytes += p.bytes;
    queue_line.peak = std::max(queue_line.peak, queue_line.bytes);
    if (in.must_pause(pool))
        stop_sender(from, in, now);
    if ((out.nonempty & bit) == 0) {
        out.nonempty |= bit;
        Ps may_send = std::max(out.free_at, now);
        if ((out.paused & bit) != 0)
            may_send = std::max(may_send, meter(to, q).until);
        if (may_send < at_[to])
            arm(to, may_send);
    }
}

// ---------------------------------------------------------------------------------------------------- going out

void SwitchNode::opportunity(std::uint8_t port, Ps now)
{
    OutPort& out = outs_[port];
    if (out.pause_due != 0) [[unlikely]] {
        send_pause(port, now);
    } else {
        if (((out.paused | out.held) & out.nonempty) != 0)
            expire_pauses(port, now);
        const auto ready = static_cast<std::uint8_t>(out.nonempty & ~(out.paused | out.held));
        if (ready == 0)
            return arm(port, first_expiry(port));
        const std::uint8_t q =
            (ready & (ready - 1)) == 0 ? static_cast<std::uint8_t>(std::countr_zero(ready)) : pick(port, ready);
        EgressQueue& line = queue(port, q);
        const Packet p = line.ring.pop();
        line.bytes -= p.bytes;
        if (line.watch == 0) [[unlikely]]
            leave_egress(q, p);
        if (line.ring.empty())
            out.nonempty &= static_cast<std::uint8_t>(~mask_of(q));
        if (out.odd) [[unlikely]] {
            if (p.bytes > registers_[port].max_frame_bytes) {
                ++extra(port, q).drops;
                count_drop(Drop::frame_size);
                release(p, now);
                return arm(port, (out.nonempty | out.pause_due) != 0 ? now : kForever);
            }
            hold_data(port, p, now);
        }
        ++line.tx_packets;
        line.tx_bytes += p.bytes;
        transmit(out, p, now, overhead_bytes_, mail_, arena_);
        release(p, now);
    }
    arm(port, (out.nonempty | out.pause_due) != 0 ? out.free_at : kForever);
}

// Strict queues first, the highest of them; then deficit round robin over the weighted ones.
std::uint8_t SwitchNode::pick(std::uint8_t port, std::uint8_t ready)
{
    if (const auto strict = static_cast<std::uint8_t>(ready & strict_); strict != 0)
        return static_cast<std::uint8_t>(std::bit_width(strict) - 1);
    std::uint8_t& turn = robin_[port];
    for (;; turn = static_cast<std::uint8_t>((turn + 1) % kPriorities)) {
        if ((ready & mask_of(turn)) == 0)
            continue;
        EgressQueue& line = queue(port, turn);
        const auto size = static_cast<std::int32_t>(line.ring.front().bytes);
        if (line.deficit >= size) {
            line.deficit -= size;
            if (line.ring.size() == 1)
                line.deficit = 0;
            return turn;
        }
        line.deficit += static_cast<std::int32_t>(line.quantum);
    }
}

void SwitchNode::expire_pauses(std::uint8_t port, Ps now)
{
    OutPort& out = outs_[port];
    if (now >= status_[port].data_from)
        out.held = 0;
    for_each_bit(static_cast<std::uint8_t>(out.paused & out.nonempty), [&](std::uint8_t q) {
        if (meter(port, q).paused(now))
            return;
        meter(port, q).settle(now);
        out.paused &= static_cast<std::uint8_t>(~mask_of(q));
    });
}

// When the first of the waiting queues may send again. All of them are paused, or the port is held.
Ps SwitchNode::first_expiry(std::uint8_t port) const
{
    const OutPort& out = outs_[port];
    Ps first = kForever;
    for_each_bit(out.nonempty, [&](std::uint8_t q) {
        const bool paused = (out.paused & mask_of(q)) != 0;
        first = std::min(first, paused ? meters_[port * std::size_t{kPriorities} + q].until : 0);
    });
    return std::max(first, status_[port].data_from);
}

void SwitchNode::release(const Packet& p, Ps now)
{
    IngressGroup& in = group(p.ingress, group_of_[priority_of_dscp_[p.dscp()]]);
    Pool& pool = ingress_pools_[in.pool];
    in.release(p.bytes, pool, headroom_pool_);
    if (in.may_resume(pool)) [[unlikely]] {
        in.xoff = false;
        outs_[p.ingress].xoffed &= static_cast<std::uint8_t>(~in.priorities);
        plan_pause_frame(p.ingress, in.priorities, now);
    }
}

void SwitchNode::stop_sender(std::uint8_t port, IngressGroup& in, Ps now)
{
    in.xoff = true;
    outs_[port].xoffed |= in.priorities;
    plan_pause_frame(port, in.priorities, now);
}

void SwitchNode::plan_pause_frame(std::uint8_t port, std::uint8_t priorities, Ps now)
{
    OutPort& out = outs_[port];
    out.pause_due |= static_cast<std::uint8_t>(priorities & may_pause(port));
    if (out.pause_due != 0)
        wake(port, now);
}

}  // namespace petrel::twin
