// Pause in a switch: sending pause frames to peers, and applying received ones.
#include <bit>

#include "twin/pause_frame.hpp"
#include "twin/switch_node.hpp"

namespace petrel::twin {

void SwitchNode::send_pause(std::uint8_t port, Ps now)
{
    OutPort& out = outs_[port];
    const auto on = static_cast<std::uint8_t>(out.xoffed & out.pause_due);
    const Packet frame = profile_.pause.global ? global_pause_frame(out.xoffed != 0, profile_.pause.quanta)
                                               : pause_frame(out.pause_due, on, profile_.pause.quanta);
    out.pause_due = 0;
    transmit(out, frame, now, overhead_bytes_, mail_, arena_);
    for (std::uint8_t q = 0; q != kPriorities; ++q)
        if (covers(frame, q))
            ++extra(port, queue_of_[q]).pause_sent;
    const std::uint64_t bit = std::uint64_t{1} << port;
    if (on == 0 || (refreshing_ & bit) != 0)
        return;
    refreshing_ |= bit;
    plan_refresh(port, now);
    arm_agenda();
}

void SwitchNode::plan_refresh(std::uint8_t port, Ps now)
{
    const Ps after = refresh_after(outs_[port], profile_.pause.quanta, profile_.max_frame_bytes);
    agenda_.add({now + after, Task::refresh, port, 0, status_[port].speeds});
}

void SwitchNode::refresh(std::uint8_t port, Ps now)
{
    OutPort& out = outs_[port];
    // The threshold may have risen since the group last saw a frame leave.
    for (std::uint8_t g = 0; g != kPriorities; ++g) {
        IngressGroup& line = group(port, g);
        if (!line.may_resume(ingress_pools_[line.pool]))
            continue;
        line.xoff = false;
        out.xoffed &= static_cast<std::uint8_t>(~line.priorities);
        plan_pause_frame(port, line.priorities, now);
    }
    if (out.xoffed == 0) {
        refreshing_ &= ~(std::uint64_t{1} << port);
        return;
    }
    plan_pause_frame(port, out.xoffed, now);
    plan_refresh(port, now);
}

void SwitchNode::receive_pause(std::uint8_t port, const Packet& frame, Ps now)
{
    if ((frame.kind() == Kind::global_pause) != profile_.pause.global)
        return;  // a port supports only one of the two
    if (profile_.pause.response == 0)
        return apply_pause(port, frame, now);
    agenda_.add({now + profile_.pause.response, Task::delayed_pause, port, static_cast<std::uint8_t>(frame.seq_ttl),
                 frame.flow});
    arm_agenda();
}

void SwitchNode::apply_pause(std::uint8_t port, const Packet& frame, Ps now)
{
    OutPort& out = outs_[port];
    const std::uint8_t honoured = static_cast<std::uint8_t>(~ignored(port));
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        const auto bit = static_cast<std::uint8_t>(1U << priority);
        if (!covers(frame, priority))
            continue;
        if (profile_.flaws.deaf_without_pfc && (honoured & bit) == 0)
            continue;
        const std::uint8_t q = queue_of_[priority];
        const auto queue_bit = static_cast<std::uint8_t>(1U << q);
        PauseMeter& received = meter(port, q);
        if (const std::uint16_t quanta = quanta_for(frame, priority, pause_times_); quanta != 0) {
            const bool fresh = !received.paused(now);
            const bool waits_for_end = at_[port] == received.until;
            received.pause(now, now + pause_time(out, quanta));
            if ((honoured & bit) != 0)
                out.paused |= queue_bit;
            if (waits_for_end && out.pause_due == 0 && (out.nonempty & ~out.paused) == 0)
                arm(port, first_expiry(port));
            if (fresh)
                watch_pause(port, q, now);
        } else {
            received.resume(now);
            out.paused &= static_cast<std::uint8_t>(~queue_bit);
            if ((out.nonempty & queue_bit) != 0)
                wake(port, now);
        }
    }
}

}  // namespace petrel::twin
