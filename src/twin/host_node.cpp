#include "twin/host_node.hpp"

#include <bit>

#include "base/assert.hpp"
#include "twin/bits.hpp"
#include "twin/digest.hpp"

namespace petrel::twin {

namespace {

constexpr std::uint8_t kTimeToLive = 64;

// How far `low` (24 bits) is ahead of `from`, negative if behind.
constexpr std::int32_t ahead(std::uint32_t low, std::uint32_t from)
{
    return static_cast<std::int32_t>((low - from) << 8U) >> 8U;
}

}  // namespace

HostNode::HostNode(std::uint32_t id, const NicProfile& profile, std::uint32_t overhead_bytes, std::span<Sender> senders,
                   std::span<Receiver> receivers, std::span<const PauseTimes> pause_times, Arena& arena)
    : digest_{mix(id, 1)},
      senders_{senders},
      receivers_{receivers},
      overhead_bytes_{overhead_bytes},
      ack_bytes_{profile.ack_bytes},
      arena_{arena},
      id_{id},
      profile_{profile},
      pause_times_{pause_times}
{
    if (profile.drain.bps != 0) {
        pipeline_.state = Pipeline::State::limited;
        pipeline_.pace = pace_of(profile.drain);
    }
}

Ps HostNode::run(const Window& window, bool mail_in, Mail* mail_out)
{
    window_ = window;
    mail_ = mail_out;
    if (mail_in || rx_pending_) {
        rx_at_ = in_.wire.front_at();
        rx_pending_ = rx_at_ != kForever;
    }
    for (;;) {
        const Ps todo_at = agenda_.next();
        const Ps now = std::min(std::min(tx_at_, rx_at_), todo_at);
        if (now >= window_.end)
            return now;
        ++events_;
        if (now == tx_at_) {
            opportunity(now);
        } else if (now == rx_at_) {
            const std::uint32_t head = in_.wire.head.load(std::memory_order_relaxed);
            const Packet packet = in_.wire.view()[head].packet;
            in_.wire.head.store(head + 1, std::memory_order_release);
            rx_at_ = in_.wire.front_at();
            rx_pending_ = rx_at_ != kForever;
            arrive(packet, now);
        } else {
            perform(agenda_.pop(), now);
        }
    }
}

// ---------------------------------------------------------------------------------------------------- coming in

inline void HostNode::arrive(const Packet& p, Ps now)
{
    ++arrivals_;
    ++in_.frames;
    digest_ = digest_arrival(digest_, now, p);
    if (in_.odd) [[unlikely]] {
        if (in_.tap != nullptr)
            in_.tap->take(now, p);
        if (p.kind() == Kind::signal)
            return set_signal(p.seq() != 0, sent_reason(p), now);
        if (!up() || dead_) {
            if (!p.is_control())
                ++drops_[dead_ ? Drop::dead_host : Drop::link_down];
            return;
        }
    }
    if (p.is_control()) [[unlikely]] {
        if (p.kind() == Kind::signal)
            return set_signal(p.seq() != 0, sent_reason(p), now);
        return receive_pause(p, now);
    }
    if (p.dst != id_) [[unlikely]]
        return static_cast<void>(++drops_[Drop::no_route]);  // a flooded frame for another host
    if (pipeline_.state == Pipeline::State::wire_speed && pipeline_.bytes == 0) [[likely]]
        deliver(p, now);
    else
        receive(p, now);
}

void HostNode::deliver(const Packet& p, Ps now)
{
    ++delivered_;
    ++taken_[priority_of(p)];
    if (p.kind() == Kind::data)
        take_data(p, now);
    else
        take_ack(p, now);
}

inline void HostNode::take_data(const Packet& p, Ps now)
{
    Receiver& flow = receivers_[p.flow];
    if (p.ecn() == kEcnMarked) [[unlikely]] {
        ++flow.marked;
        if (flow.notifies && now >= flow.notify_at) {
            flow.notify_at = now + profile_.notify_interval;
            reply(Kind::cnp, p.flow, flow, now);
        }
    }
    if (!flow.reliable) {
        ++flow.packets;
        return;
    }
    const std::int32_t gap = ahead(p.seq(), flow.expected);
    if (gap == 0) [[likely]] {
        ++flow.expected;
        ++flow.packets;
        flow.nak_sent = false;
    } else if (gap > 0) {
        ++flow.out_of_order;
        if (flow.nak_sent)
            return;
        flow.nak_sent = true;
        return reply(Kind::nak, p.flow, flow, now);
    }
    reply(Kind::ack, p.flow, flow, now);
}

inline void HostNode::reply(Kind kind, std::uint32_t flow, const Receiver& to, Ps now)
{
    Packet p;
    p.flow = flow;
    p.seq_ttl = (to.expected & kSeqMask) | std::uint32_t{kTimeToLive} << 24U;
    p.dst = to.src;
    p.bytes = ack_bytes_;
    p.hash_kind = static_cast<std::uint16_t>(unsigned{to.hash} << 3U | static_cast<unsigned>(kind));
    p.tos = static_cast<std::uint8_t>(to.tos & ~3U);
    const std::uint8_t priority = priority_of(p);
    const std::uint8_t bit = mask_of(priority);
    ++injected_;
    if ((out_.nonempty | out_.pause_due | (out_.paused & bit)) == 0 && control_.empty() && out_.free_at <= now &&
        up()) {
        transmit(out_, p, now, overhead_bytes_, mail_, arena_);
        return;
    }
    replies_[priority].push(p, arena_);
    out_.nonempty |= bit;
    wake(now);
}

inline void HostNode::take_ack(const Packet& p, Ps now)
{
    Sender& flow = senders_[p.flow];
    if (p.kind() == Kind::cnp)
        return notified(p.flow, now);
    const std::int32_t progress = ahead(p.seq(), flow.acked);
    if (progress > 0) {
        flow.acked += static_cast<std::uint32_t>(progress);
        if (flow.next < flow.acked)
            flow.next = flow.acked;  // the sender went back, but the first copy had arrived
        flow.progress_at = now;
        if (flow.acked == flow.total)
            return finish(flow, now);
        if (flow.window != 0 && flow.on) {
            list(p.flow);
            wake(now);
        }
    }
    if (p.kind() == Kind::nak && progress >= 0 && flow.next > flow.acked) {
        flow.next = flow.acked;
        list(p.flow);
        wake(now);
    }
}

// ---------------------------------------------------------------------------------------------------- going out

inline void HostNode::opportunity(Ps now)
{
    if (now < out_.free_at || dead_ || !up()) [[unlikely]] {
        tx_at_ = dead_ || !up() ? kForever : out_.free_at;
        return;
    }
    Ps again_at = kForever;
    if ((out_.pause_due == 0 && control_.empty()) || !send_control(now)) {
        if ((out_.nonempty == 0 || !send_reply(now)) && !send_data(now, again_at)) {
            for (auto left = out_.nonempty; left != 0; left &= static_cast<std::uint8_t>(left - 1))
                again_at = std::min(again_at, meters_[static_cast<std::size_t>(std::countr_zero(left))].until);
            tx_at_ = again_at;
            return;
        }
    }
    const bool more = (out_.nonempty | out_.pause_due) != 0 || !control_.empty() || !listed_.empty();
    tx_at_ = more ? out_.free_at : kForever;
}

bool HostNode::send_reply(Ps now)
{
    for (auto left = out_.nonempty; left != 0; left &= static_cast<std::uint8_t>(left - 1)) {
        const auto priority = static_cast<std::uint8_t>(std::countr_zero(left));
        const std::uint8_t bit = mask_of(priority);
        if ((out_.paused & bit) != 0) {
            if (meters_[priority].paused(now))
                continue;
            out_.paused &= static_cast<std::uint8_t>(~bit);
        }
        const Packet p = replies_[priority].pop();
        if (replies_[priority].empty())
            out_.nonempty &= static_cast<std::uint8_t>(~bit);
        transmit(out_, p, now, overhead_bytes_, mail_, arena_);
        return true;
    }
    return false;
}

// The flows take turns. A flow with nothing left to send leaves the list until it has to send again.
bool HostNode::send_data(Ps now, Ps& again_at)
{
    for (std::size_t tries = listed_.size(); tries != 0; --tries) {
        if (turn_ >= listed_.size())
            turn_ = 0;
        const std::uint32_t id = listed_[turn_];
        Sender& flow = senders_[id];
        const bool full = flow.window != 0 && flow.next - flow.acked >= flow.window;
        if (!flow.on || flow.next == flow.total || full) {
            flow.listed = false;
            listed_[turn_] = listed_.back();
            listed_.pop_back();
            continue;
        }
        const std::uint8_t bit = mask_of(flow.priority);
        if ((out_.paused & bit) != 0) {
            if (meters_[flow.priority].paused(now)) {
                again_at = std::min(again_at, meters_[flow.priority].until);
                ++turn_;
                continue;
            }
            out_.paused &= static_cast<std::uint8_t>(~bit);
        }
        if (flow.next_at > now) {
            again_at = std::min(again_at, flow.next_at);
            ++turn_;
            continue;
        }
        Packet p;
        p.flow = id;
        p.seq_ttl = (flow.next & kSeqMask) | std::uint32_t{kTimeToLive} << 24U;
        p.dst = flow.dst;
        p.bytes = flow.bytes;
        p.hash_kind = static_cast<std::uint16_t>(unsigned{flow.hash} << 3U);
        p.tos = flow.tos;
        transmit(out_, p, now, overhead_bytes_, mail_, arena_);
        ++injected_;
        ++flow.next;
        if (flow.pace != 0) {
            // A frame that waited less than one gap (for other flows) does not slow its flow down. A longer wait (a
            // pause) is not caught up.
            const Ps gap = Ps{p.bytes + overhead_bytes_} * flow.pace >> 10U;
            flow.next_at = (now - flow.next_at < gap ? flow.next_at : now) + gap;
            if (const auto rate = rates_.find(id); rate != rates_.end() && rate->second.sent(p.bytes))
                set_pace(id, rate->second);
        }
        if (!flow.reliable && flow.next == flow.total)
            finish(flow, now);
        if (flow.reliable && !flow.timed) {
            flow.timed = true;
            flow.progress_at = std::max(flow.progress_at, now);
            agenda_.add({now + profile_.retransmit_after, Task::retransmit, 0, 0, id});
        }
        ++turn_;
        return true;
    }
    return false;
}

void HostNode::list(std::uint32_t id)
{
    Sender& flow = senders_[id];
    if (flow.listed)
        return;
    flow.listed = true;
    listed_.push_back(id);
}

void HostNode::finish(Sender& flow, Ps now)
{
    if (flow.finished_at != kForever)
        return;
    flow.finished_at = now;
    --flows_left_;
}

}  // namespace petrel::twin
