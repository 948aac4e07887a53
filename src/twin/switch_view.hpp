// The software's view of a switch: counters, status and registers, as in an ASIC. Time-dependent values are computed
// when they are read, so a frozen fabric costs nothing.
//
// Contract: `now` is the current simulated time. Use a view only inside a call of Twin::at for the same node, or to
// read between two runs.
#pragma once

#include <cstdint>
#include <functional>

#include "twin/switch_node.hpp"

namespace petrel::twin {

enum class ContinuousPause : std::uint8_t { not_paused, paused, not_continuous };

struct QueueReading {
    bool paused{};
    Ps paused_for{};  // total
    Ps longest_pause{};
    std::uint64_t rx_xoff{};
    std::uint64_t rx_xon{};
    std::uint64_t pauses_ended{};
    std::uint64_t tx_packets{};
    std::uint64_t tx_bytes{};
    std::uint64_t tx_drops{};
    std::uint64_t marked{};
    std::uint32_t bytes{};
    std::uint32_t peak_bytes{};
    std::uint64_t pause_sent{};
    std::uint64_t deadlocks{};
};

struct GroupReading {
    std::uint64_t rx_packets{};
    std::uint64_t rx_drops{};
    std::uint32_t bytes{};  // reserve and shared
    std::uint32_t shared_bytes{};
    std::uint32_t headroom_bytes{};
    std::uint32_t peak_bytes{};
    std::uint32_t peak_headroom_bytes{};
    bool xoff{};  // the sender is paused
};

class SwitchView {
public:
    explicit SwitchView(SwitchNode& node) : node_{&node} {}

    std::uint8_t ports() const { return node_->port_count_; }
    std::uint8_t lossless() const { return node_->lossless_; }  // priorities
    // Priorities whose pause an untreated port honours. A global pause affects all.
    std::uint8_t honours() const { return node_->honours_; }
    const SwitchProfile& profile() const { return node_->profile_; }
    const DropCounts& drops() const { return node_->drops_; }

    QueueReading queue(std::uint8_t port, std::uint8_t queue, Ps now) const;
    GroupReading group(std::uint8_t port, std::uint8_t group) const;
    // Bytes that were received on one port and wait in a queue of another.
    std::uint64_t waiting(std::uint8_t in, std::uint8_t out, std::uint8_t queue) const;
    // The fill level in bytes at which a paused sender may resume, if `pool_used` bytes of its pool are in use.
    std::uint64_t resumes_below(std::uint8_t port, std::uint8_t group, std::uint64_t pool_used) const;
    std::uint8_t pool_of(std::uint8_t port, std::uint8_t group) const { return node_->group(port, group).pool; }
    std::uint64_t pool_used(std::uint8_t pool) const { return node_->ingress_pools_[pool].used; }
    std::uint64_t pool_size(std::uint8_t pool) const { return node_->ingress_pools_[pool].size; }
    std::uint64_t pool_peak(std::uint8_t pool) const { return node_->ingress_pools_[pool].peak; }
    std::uint64_t headroom_used() const { return node_->headroom_pool_.used; }
    std::uint64_t headroom_peak() const { return node_->headroom_pool_.peak; }
    void forget_queue_peak(std::uint8_t port, std::uint8_t queue);
    void forget_group_peaks(std::uint8_t port, std::uint8_t group);
    void forget_pool_peaks(std::uint8_t pool);

    // Whether the queue was paused all the time since the last call. Each call starts a new interval.
    ContinuousPause continuous_pause(std::uint8_t port, std::uint8_t queue, Ps now);
    // Queues of the port whose current pause has lasted longer than the port's limit.
    std::uint8_t pause_timeout(std::uint8_t port, Ps now) const;

    bool link_up(std::uint8_t port) const { return node_->up(port); }
    std::uint32_t epoch(std::uint8_t port) const { return node_->status_[port].epoch; }
    std::uint64_t speed_bps(std::uint8_t port) const { return node_->status_[port].speed.bps; }

    const PortRegisters& registers(std::uint8_t port) const { return node_->registers_[port]; }
    void write(std::uint8_t port, const PortRegisters& wanted, Ps now) { node_->write(port, wanted, now); }
    void set_alpha(std::uint8_t port, std::uint8_t group, std::int8_t exponent);
    // Reconfigures the buffer. Its frames stay. XOFF or XON is sent when the next frame of the group arrives or leaves.
    void set_group(std::uint8_t port, std::uint8_t group, const PgProfile&);
    void set_pool_size(std::uint8_t pool, std::uint64_t bytes) { node_->ingress_pools_[pool].size = bytes; }
    void set_headroom_size(std::uint64_t bytes) { node_->headroom_pool_.size = bytes; }  // for all groups together
    void set_route(std::uint32_t host, std::span<const std::uint16_t> ports) { node_->set_route(host, ports); }
    void set_signal(std::uint8_t port, bool on, Ps now)
    {
        node_->set_signal(port, on, {}, now);
    }  // cuts or repairs the cable

    // The speed that both ends of a link negotiated while it is down, before it comes up.
    void set_speed(std::uint8_t port, BitRate speed, std::uint8_t lanes) { node_->set_speed(port, speed, lanes); }
    void lose_lanes(std::uint8_t port, std::uint8_t lanes, Ps now) { node_->lose_lanes(port, lanes, now); }

    // Why the link last went down, and ways to take it down: with a reason, and up again (together a bounce), or by a
    // power loss.
    link::LinkReading link(std::uint8_t port, Ps now) const { return node_->status_[port].link.read(now); }
    bool link_went_down(std::uint8_t port) const { return node_->status_[port].link.went_down(); }
    void take_down(std::uint8_t port, const PortDown&, Ps now);
    void bring_up(std::uint8_t port, Ps now);
    void lose_power(std::uint8_t port, Ps now);
    bool arm_link(std::uint8_t port, std::uint64_t ack) { return node_->status_[port].link.arm(ack); }
    bool activate_link(std::uint8_t port) { return node_->status_[port].link.activate(); }
    void tap(std::uint8_t port, Tap*);

    // A faulty scheduler of the port: it sends data at this rate at most, or none; heal_egress() ends the fault. The
    // link, its speed and pause are not affected.
    void limit_egress(std::uint8_t port, BitRate rate, Ps now) { node_->set_scheduler(port, pace_of(rate), now, now); }
    void stop_egress(std::uint8_t port, Ps now) { node_->set_scheduler(port, 0, kForever, now); }
    void heal_egress(std::uint8_t port, Ps now) { node_->set_scheduler(port, 0, 0, now); }

    // The hardware's own detectors; 0 = off. They cover pauses that begin after they were set.
    void set_deadlock_timers(std::uint8_t port, std::uint8_t queue, Ps detect, Ps recover);
    // Also covers a current pause, as if it had begun now.
    void restart_detection(std::uint8_t port, std::uint8_t queue, Ps now);
    // Ends a current recovery early.
    void end_recovery(std::uint8_t port, std::uint8_t queue, Ps now);
    void set_recovery_action(std::uint8_t port, bool drops) { node_->status_[port].recovery_drops = drops; }
    void set_pause_limit(std::uint8_t port, Ps limit) { node_->status_[port].pause_limit = limit; }
    bool recovering(std::uint8_t port, std::uint8_t queue) const;
    void on_interrupt(std::function<void(const Interrupt&, Ps)> handler) { node_->on_interrupt_ = std::move(handler); }

private:
    SwitchNode* node_;
};

}  // namespace petrel::twin
