// Effects of register writes, of links that go up or down, and of the hardware's own detectors.
#include "twin/bits.hpp"
#include "twin/switch_node.hpp"

namespace petrel::twin {

std::uint8_t SwitchNode::recovering(std::uint8_t port) const
{
    const std::uint8_t queues = status_[port].recovering;
    std::uint8_t priorities = 0;
    for (std::uint8_t priority = 0; queues != 0 && priority != kPriorities; ++priority)
        if ((queues & mask_of(queue_of_[priority])) != 0)
            priorities |= mask_of(priority);
    return priorities;
}

std::uint8_t SwitchNode::ignored(std::uint8_t port) const
{
    const PortRegisters& set = registers_[port];
    return static_cast<std::uint8_t>(~set.pause_rx | set.ignore_pause | set.lossless_off | recovering(port));
}

std::uint8_t SwitchNode::discarded(std::uint8_t port) const
{
    const PortRegisters& set = registers_[port];
    return static_cast<std::uint8_t>(set.discard_egress | set.lossless_off |
                                     (status_[port].recovery_drops ? recovering(port) : 0));
}

std::uint8_t SwitchNode::refused(std::uint8_t port) const
{
    return static_cast<std::uint8_t>(registers_[port].discard_ingress | registers_[port].lossless_off);
}

std::uint8_t SwitchNode::may_pause(std::uint8_t port) const
{
    const PortRegisters& set = registers_[port];
    return up(port) ? static_cast<std::uint8_t>(set.pause_tx & ~set.send_no_pause & ~set.lossless_off)
                    : std::uint8_t{0};
}

bool SwitchNode::passes_registers(std::uint8_t from, std::uint8_t to, const Packet& p, std::uint8_t priority)
{
    const std::uint8_t bit = mask_of(priority);
    if ((refused(from) & bit) != 0) {
        ++group(from, group_of_[priority]).rx_drops;
        count_drop(Drop::mitigated_in);
        return false;
    }
    if ((discarded(to) & bit) != 0) {
        ++extra(to, queue_of_[priority]).drops;
        count_drop(Drop::mitigated_out);
        return false;
    }
    if (!up(to)) {
        ++extra(to, queue_of_[priority]).drops;
        count_drop(Drop::link_down);
        return false;
    }
    if (p.bytes > registers_[to].max_frame_bytes) {
        ++extra(to, queue_of_[priority]).drops;
        count_drop(Drop::frame_size);
        return false;
    }
    return true;
}

// If the caller gives no reason for switching a port off, the reason is 60, Switch Management.
void SwitchNode::write(std::uint8_t port, const PortRegisters& wanted, Ps now, const PortDown& down)
{
    const bool was_up = up(port);
    const bool was_enabled = registers_[port].enabled;
    const std::uint8_t was_discarded = discarded(port);
    registers_[port] = wanted;
    if (wanted.enabled != was_enabled)
        send_signal(port, wanted.enabled, wanted.enabled ? SentReason{} : status_[port].link.take_down(down, now), now);
    if (up(port) != was_up)
        link_changed(port, was_up, now);
    apply(port, was_discarded, now);
    enforce_policy(port, now);
}

// Updates the port's fast flags from its registers. Queues that are now discarded are flushed, which may send XON to
// peers. A port that may send again is woken.
void SwitchNode::apply(std::uint8_t port, std::uint8_t was_discarded, Ps now)
{
    OutPort& out = outs_[port];
    const PortRegisters& set = registers_[port];
    out.odd =
        discarded(port) != 0 || !up(port) || set.max_frame_bytes != profile_.max_frame_bytes || status_[port].sick();
    out.held = status_[port].sick() ? 0xff : 0;
    ins_[port].down = !up(port);
    ins_[port].odd = refused(port) != 0 || ins_[port].down || ins_[port].tap != nullptr;
    flush(port, static_cast<std::uint8_t>(discarded(port) & ~was_discarded), Drop::mitigated_out, now);

    const std::uint8_t ignore = ignored(port);
    out.paused = 0;
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        const std::uint8_t q = queue_of_[priority];
        if ((ignore & mask_of(priority)) == 0 && meter(port, q).paused(now))
            out.paused |= mask_of(q);
    }
    out.pause_due &= may_pause(port);
    plan_pause_frame(port, out.xoffed,
                     now);  // repeats XOFF where it is allowed again; elsewhere the peer's pause expires
    if ((out.nonempty | out.pause_due) != 0)
        wake(port, now);
}

void SwitchNode::set_scheduler(std::uint8_t port, std::uint32_t pace, Ps from, Ps now)
{
    status_[port].data_pace = pace;
    status_[port].data_from = from;
    apply(port, discarded(port), now);
}

// This frame is sent. A faulty scheduler delays the next one.
void SwitchNode::hold_data(std::uint8_t port, const Packet& p, Ps now)
{
    PortStatus& status = status_[port];
    if (!status.sick())
        return;
    status.data_from = now + (Ps{p.bytes + overhead_bytes_} * status.data_pace >> 10U);
    outs_[port].held = 0xff;
}

void SwitchNode::flush(std::uint8_t port, std::uint8_t priorities, Drop why, Ps now)
{
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        if ((priorities & mask_of(priority)) == 0)
            continue;
        const std::uint8_t q = queue_of_[priority];
        EgressQueue& line = queue(port, q);
        while (!line.ring.empty()) {
            const Packet p = line.ring.pop();
            line.bytes -= p.bytes;
            leave_egress(q, p);
            ++extra(port, q).drops;
            count_drop(why);
            release(p, now);
        }
        line.deficit = 0;
        outs_[port].nonempty &= static_cast<std::uint8_t>(~mask_of(q));
    }
}

// ---------------------------------------------------------------------------------------------------- links

// The far transmitter was switched on or off, or the cable was cut or repaired.
void SwitchNode::set_signal(std::uint8_t port, bool on, SentReason reason, Ps now)
{
    const bool was_up = up(port);
    if (!on)
        status_[port].link.lose_signal(reason, now);
    status_[port].signal = on;
    if (up(port) == was_up)
        return;
    link_changed(port, was_up, now);
    apply(port, discarded(port), now);
    enforce_policy(port, now);
}

// The duration of a quantum changes with the speed: pause is sent again when the link comes up.
void SwitchNode::set_speed(std::uint8_t port, BitRate speed, std::uint8_t lanes)
{
    outs_[port].rate = pace_of(speed);
    status_[port].speed = speed;
    status_[port].lanes = lanes;
    ++status_[port].speeds;
    refreshing_ &= ~(std::uint64_t{1} << port);
}

// The link stays up with fewer lanes, unless the policy of one of its ends refuses them. Pause is sent again, in quanta
// of the new speed.
void SwitchNode::lose_lanes(std::uint8_t port, std::uint8_t lanes, Ps now)
{
    const auto& status = status_[port];
    if (lanes >= status.lanes)
        return;
    set_speed(port, {status.speed.bps / status.lanes * lanes}, lanes);
    ++status_[port].epoch;
    apply(port, discarded(port), now);
    enforce_policy(port, now);
}

void SwitchNode::enforce_policy(std::uint8_t port, Ps now)
{
    const auto refused = up(port) ? status_[port].link.refuses(shape(port)) : std::nullopt;
    if (!refused)
        return;
    PortRegisters off = registers_[port];
    off.enabled = false;
    write(port, off, now, {*refused});
}

// The signal arrives after the frames that are already on the link.
void SwitchNode::send_signal(std::uint8_t port, bool on, SentReason reason, Ps now)
{
    OutPort& out = outs_[port];
    transmit(out, signal_packet(on, reason), std::max(now, out.free_at), 0, mail_, arena_);
}

void SwitchNode::link_changed(std::uint8_t port, bool was_up, Ps now)
{
    ++status_[port].epoch;
    OutPort& out = outs_[port];
    if (was_up)
        flush(port, 0xff, Drop::link_down, now);
    else
        status_[port].link.come_up(shape(port));
    // Neither end keeps pause that it received before.
    out.pause_due = 0;
    for (std::uint8_t q = 0; q != kPriorities; ++q)
        meter(port, q).forget(now);
    if (!was_up)
        plan_pause_frame(port, out.xoffed, now);
    interrupt(was_up ? Interrupt::Kind::link_down : Interrupt::Kind::link_up, port, 0, now);
}

// ---------------------------------------------------------------------------------------------------- detectors

// A pause has begun: if a hardware detector is on, check again when the pause would have lasted too long.
void SwitchNode::watch_pause(std::uint8_t port, std::uint8_t q, Ps now)
{
    const Ps detect = extra(port, q).detect;
    if (detect != 0)
        agenda_.add({now + detect, Task::queue_detector, port, q, 0});
    const Ps limit = (honours_ & mask_of(q)) != 0 ? status_[port].pause_limit : 0;
    if (limit != 0)
        agenda_.add({now + limit, Task::port_detector, port, q, 0});
    if (detect != 0 || limit != 0)
        arm_agenda();
}

void SwitchNode::queue_detector(std::uint8_t port, std::uint8_t q, Ps now)
{
    QueueExtra& more = extra(port, q);
    const PauseMeter& pause = meter(port, q);
    const std::uint8_t bit = mask_of(q);
    if (more.detect == 0 || !pause.paused(now) || (status_[port].recovering & bit) != 0)
        return;
    if (now - std::max(pause.since, more.detect_from) < more.detect)
        return;  // a later pause has its own agenda entry
    ++more.deadlocks;
    const std::uint8_t was_discarded = discarded(port);
    status_[port].recovering |= bit;
    more.detect_from = now + more.recover;
    apply(port, was_discarded, now);
    agenda_.add({more.detect_from, Task::recovery_end, port, q, 0});
    interrupt(Interrupt::Kind::deadlock, port, q, now);
}

void SwitchNode::recovery_end(std::uint8_t port, std::uint8_t q, Ps now)
{
    QueueExtra& more = extra(port, q);
    if ((status_[port].recovering & mask_of(q)) == 0 || now < more.detect_from)
        return;  // it ended earlier; a later recovery has its own agenda entry
    status_[port].recovering &= static_cast<std::uint8_t>(~mask_of(q));
    apply(port, discarded(port), now);
    interrupt(Interrupt::Kind::recovered, port, q, now);
    if (meter(port, q).paused(now) && more.detect != 0)
        agenda_.add({now + more.detect, Task::queue_detector, port, q, 0});
}

void SwitchNode::port_detector(std::uint8_t port, std::uint8_t q, Ps now)
{
    const PauseMeter& pause = meter(port, q);
    const Ps limit = status_[port].pause_limit;
    if (limit != 0 && pause.paused(now) && now - pause.since >= limit)
        interrupt(Interrupt::Kind::pause_too_long, port, q, now);
}

void SwitchNode::interrupt(Interrupt::Kind kind, std::uint8_t port, std::uint8_t q, Ps now)
{
    if (!on_interrupt_)
        return;
    on_interrupt_({kind, port, q}, now);
    arm_agenda();  // the handler may have added an entry
}

std::uint64_t SwitchNode::waiting() const
{
    std::uint64_t frames = 0;
    for (std::size_t i = 0; i != port_count_ * std::size_t{kPriorities}; ++i)
        frames += queues_[i].ring.size();
    return frames;
}

}  // namespace petrel::twin
