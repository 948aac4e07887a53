// The rare work of a NIC: pause, the receive pipeline when it is slower than the line, timers of flows, storms.
#include <bit>

#include "base/assert.hpp"
#include "twin/host_node.hpp"
#include "twin/pause_frame.hpp"

namespace petrel::twin {

namespace {

constexpr std::uint32_t kLongestFrame = 9216;

}  // namespace

void HostNode::add_flow(std::uint32_t flow, Ps start, Ps stop)
{
    ++flows_left_;
    agenda_.add({start, Task::flow_start, 0, 0, flow});
    if (stop != kForever)
        agenda_.add({stop, Task::flow_stop, 0, 0, flow});
}

void HostNode::control_rate(std::uint32_t flow, const Dcqcn& set, BitRate line)
{
    rates_.emplace(flow, RateControl{set, line});
    senders_[flow].pace = pace_of(line);
}

std::uint64_t HostNode::waiting() const
{
    std::uint64_t frames = pipeline_.waiting.size();
    for (const auto& ring : replies_)
        frames += ring.size();
    return frames;
}

void HostNode::perform(const Todo& todo, Ps now)
{
    switch (todo.task) {
    case Task::flow_start: return start_flow(todo.arg, now);
    case Task::flow_stop: senders_[todo.arg].on = false; return;
    case Task::retransmit: return retransmit(todo.arg, now);
    case Task::rate_timer: return raise_rate(todo, now);
    case Task::drain: return drain(now);
    case Task::refresh:
        if (todo.arg == speeds_)
            refresh(now);
        return;
    case Task::storm: return storm(todo.arg, now);
    case Task::delayed_pause: {
        Packet frame;
        frame.flow = todo.arg;
        frame.seq_ttl = todo.queue;
        return apply_pause(frame, now);
    }
    case Task::call: return agenda_.take_call(todo)(now);
    default: PETREL_ASSERT(false, "a host has no task {}", static_cast<int>(todo.task));
    }
}

void HostNode::start_flow(std::uint32_t id, Ps now)
{
    senders_[id].on = true;
    list(id);
    wake(now);
}

// Go back to the first packet that was not acknowledged.
void HostNode::retransmit(std::uint32_t id, Ps now)
{
    Sender& flow = senders_[id];
    flow.timed = false;
    if (flow.acked == flow.total || (flow.next == flow.acked && !flow.on))
        return;
    const Ps due = flow.progress_at + profile_.retransmit_after;
    if (due > now) {
        flow.timed = true;
        agenda_.add({due, Task::retransmit, 0, 0, id});
        return;
    }
    flow.next = flow.acked;
    flow.progress_at = now;
    list(id);
    wake(now);
}

// ---------------------------------------------------------------------------------------------------- DCQCN

void HostNode::notified(std::uint32_t id, Ps now)
{
    const auto rate = rates_.find(id);
    if (rate == rates_.end() || !rate->second.notified(now))
        return;
    set_pace(id, rate->second);
    agenda_.add({now + rate->second.set().increase_timer, Task::rate_timer, 0, rate->second.cuts(), id});
}

// The timer continues only while the rate is below line rate, and only the timer of the last cut counts.
void HostNode::raise_rate(const Todo& todo, Ps now)
{
    RateControl& rate = rates_.at(todo.arg);
    if (todo.queue != rate.cuts())
        return;
    rate.increase_timer();
    set_pace(todo.arg, rate);
    if (rate.limited())
        agenda_.add({now + rate.set().increase_timer, Task::rate_timer, 0, todo.queue, todo.arg});
}

void HostNode::set_pace(std::uint32_t id, const RateControl& rate)
{
    senders_[id].pace = static_cast<std::uint32_t>(8.0 * static_cast<double>(kSecond) * 1024 / rate.bps());
}

// ---------------------------------------------------------------------------------------------------- pause

bool HostNode::send_control(Ps now)
{
    if (!control_.empty()) {
        const Packet frame = control_.front();
        control_.erase(control_.begin());
        send_pause(frame, now);
        return true;
    }
    const auto on = static_cast<std::uint8_t>(out_.xoffed & out_.pause_due);
    const Packet frame = profile_.pause.global ? global_pause_frame(out_.xoffed != 0, profile_.pause.quanta)
                                               : pause_frame(out_.pause_due, on, profile_.pause.quanta);
    out_.pause_due = 0;
    send_pause(frame, now);
    if (on != 0 && !refreshing_) {
        refreshing_ = true;
        plan_refresh(now);
    }
    return true;
}

void HostNode::plan_refresh(Ps now)
{
    agenda_.add({now + refresh_after(out_, profile_.pause.quanta, kLongestFrame), Task::refresh, 0, 0, speeds_});
}

void HostNode::send_pause(const Packet& frame, Ps now)
{
    transmit(out_, frame, now, overhead_bytes_, mail_, arena_);
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        if (!covers(frame, priority))
            continue;
        if (const std::uint16_t quanta = quanta_for(frame, priority, pause_times_); quanta != 0)
            sent_pause_[priority].pause(now, now + pause_time(out_, quanta));
        else
            sent_pause_[priority].resume(now);
    }
}

void HostNode::refresh(Ps now)
{
    refreshing_ = out_.xoffed != 0;
    if (!refreshing_)
        return;
    out_.pause_due |= static_cast<std::uint8_t>(out_.xoffed & pause_tx_);
    plan_refresh(now);
    if (out_.pause_due != 0)
        wake(now);
}

void HostNode::receive_pause(const Packet& frame, Ps now)
{
    if ((frame.kind() == Kind::global_pause) != profile_.pause.global)
        return;  // a port supports only one of the two
    if (profile_.pause.response == 0)
        return apply_pause(frame, now);
    agenda_.add(
        {now + profile_.pause.response, Task::delayed_pause, 0, static_cast<std::uint8_t>(frame.seq_ttl), frame.flow});
}

void HostNode::apply_pause(const Packet& frame, Ps now)
{
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        const auto bit = static_cast<std::uint8_t>(1U << priority);
        if (!covers(frame, priority))
            continue;
        if (const std::uint16_t quanta = quanta_for(frame, priority, pause_times_); quanta != 0) {
            meters_[priority].pause(now, now + pause_time(out_, quanta));
            out_.paused |= bit;
        } else {
            meters_[priority].resume(now);
            out_.paused &= static_cast<std::uint8_t>(~bit);
            wake(now);
        }
    }
}

void HostNode::pause_peer(std::uint8_t priority, Ps now)
{
    const auto bit = static_cast<std::uint8_t>(1U << priority);
    if ((profile_.lossless & bit) == 0 || (out_.xoffed & bit) != 0)
        return;
    out_.xoffed |= bit;
    out_.pause_due |= static_cast<std::uint8_t>(bit & pause_tx_);
    if (out_.pause_due != 0)
        wake(now);
}

void HostNode::resume_peer(Ps now)
{
    out_.pause_due |= static_cast<std::uint8_t>(out_.xoffed & pause_tx_);
    out_.xoffed = 0;
    if (out_.pause_due != 0)
        wake(now);
}

// ---------------------------------------------------------------------------------------------------- pipeline

void HostNode::receive(const Packet& p, Ps now)
{
    if (pipeline_.bytes + p.bytes > profile_.buffer_bytes) {
        ++drops_[Drop::nic_buffer];
        return;
    }
    pipeline_.waiting.push(p, arena_);
    pipeline_.bytes += p.bytes;
    pipeline_.peak = std::max(pipeline_.peak, pipeline_.bytes);
    if (pipeline_.bytes > profile_.xoff_bytes)
        pause_peer(priority_of(p), now);
    start_draining(now);
}

void HostNode::start_draining(Ps now)
{
    if (pipeline_.draining || pipeline_.state == Pipeline::State::stopped || pipeline_.waiting.empty())
        return;
    pipeline_.draining = true;
    const Ps takes =
        pipeline_.state == Pipeline::State::limited ? Ps{pipeline_.waiting.front().bytes} * pipeline_.pace >> 10U : 0;
    agenda_.add({now + takes, Task::drain, 0, 0, 0});
}

void HostNode::drain(Ps now)
{
    pipeline_.draining = false;
    if (dead_ || pipeline_.state == Pipeline::State::stopped || pipeline_.waiting.empty())
        return;
    const Packet p = pipeline_.waiting.pop();
    pipeline_.bytes -= p.bytes;
    deliver(p, now);
    if (out_.xoffed != 0 && pipeline_.bytes <= profile_.xon_bytes)
        resume_peer(now);
    start_draining(now);
}

void HostNode::set_pipeline(Pipeline::State state, BitRate rate, Ps now)
{
    pipeline_.state = state;
    if (state == Pipeline::State::limited)
        pipeline_.pace = pace_of(rate);
    start_draining(now);
}

// ---------------------------------------------------------------------------------------------------- link and life

void HostNode::set_enabled(bool on, const PortDown& down, Ps now)
{
    if (on == enabled_)
        return;
    const bool was_up = up();
    const SentReason reason = on ? SentReason{} : link_.take_down(down, now);
    transmit(out_, signal_packet(on, reason), std::max(now, out_.free_at), 0, mail_, arena_);
    enabled_ = on;
    link_changed(was_up, now);
    enforce_policy(now);
}

void HostNode::set_signal(bool on, SentReason reason, Ps now)
{
    const bool was_up = up();
    if (!on)
        link_.lose_signal(reason, now);
    signal_ = on;
    link_changed(was_up, now);
    enforce_policy(now);
}

// See SwitchNode::set_speed.
void HostNode::set_speed(BitRate speed, std::uint8_t lanes)
{
    out_.rate = pace_of(speed);
    speed_ = speed;
    lanes_ = lanes;
    ++speeds_;
    refreshing_ = false;
    for (auto& [flow, rate] : rates_) {
        rate.set_line(speed);
        set_pace(flow, rate);
    }
}

// See SwitchNode::lose_lanes.
void HostNode::lose_lanes(std::uint8_t lanes, Ps now)
{
    if (lanes >= lanes_)
        return;
    set_speed({speed_.bps / lanes_ * lanes}, lanes);
    ++epoch_;
    if (up()) {
        out_.pause_due |= static_cast<std::uint8_t>(out_.xoffed & pause_tx_);
        wake(now);
    }
    enforce_policy(now);
}

void HostNode::enforce_policy(Ps now)
{
    if (const auto refused = up() ? link_.refuses(link_shape(speed_, lanes_)) : std::nullopt)
        set_enabled(false, {*refused}, now);
}

void HostNode::link_changed(bool was_up, Ps now)
{
    refresh_odd();
    if (up() == was_up)
        return;
    if (up())
        link_.come_up(link_shape(speed_, lanes_));
    ++epoch_;
    for (auto& meter : meters_)
        meter.forget(now);
    out_.paused = 0;
    out_.pause_due = up() ? static_cast<std::uint8_t>(out_.xoffed & pause_tx_) : 0;
    control_.clear();
    for (auto& ring : replies_) {
        drops_[Drop::link_down] += ring.size();
        ring.head = ring.tail;
    }
    out_.nonempty = 0;
    if (up())
        wake(now);
}

// A reboot drops the port buffer and ends faults. It also unmutes the NIC, which ends a latch of its watchdog.
void HostNode::reset(Ps now)
{
    drops_[Drop::dead_host] += pipeline_.waiting.size();
    pipeline_.waiting.head = pipeline_.waiting.tail;
    pipeline_.bytes = 0;
    dead_ = false;
    pause_tx_ = 0xff;
    for (Storm& s : storms_)
        s.stop = std::min(s.stop, now);
    control_.clear();
    refresh_odd();
    set_pipeline(profile_.drain.bps == 0 ? Pipeline::State::wire_speed : Pipeline::State::limited, profile_.drain, now);
    resume_peer(now);
    wake(now);
}

// ---------------------------------------------------------------------------------------------------- storms

void HostNode::storm(std::uint32_t index, Ps now)
{
    Storm& s = storms_[index];
    if (now >= s.stop)
        return;
    const Ps cycle = s.burst + s.silence;
    const bool on = s.silence == 0 || (now - s.begun) % cycle < s.burst;
    if (on && !dead_) {
        ++s.sent;
        const bool xon = s.xon_every != 0 && s.sent % s.xon_every == 0;
        const auto paused = static_cast<std::uint8_t>(s.priorities & pause_tx_);
        if (paused != 0) {
            control_.push_back(profile_.pause.global
                                   ? global_pause_frame(!xon, s.quanta)
                                   : pause_frame(paused, xon ? 0 : paused, s.quanta, xon ? 0 : s.times));
            wake(now);
        }
    }
    agenda_.add({now + s.period, Task::storm, 0, 0, index});
}

}  // namespace petrel::twin
