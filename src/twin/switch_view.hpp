// What software sees of a switch and may set on it: counters, status and registers, as an ASIC has them. Reading
// computes everything up to the instant asked, so that a frozen fabric costs nothing.
//
// Contract: `now` is the simulated present. Use a view inside a call of Twin::at for that very node, or read it between
// two runs; nothing else.
#pragma once

#include <cstdint>
#include <functional>

#include "twin/switch_node.hpp"

namespace petrel::twin {

enum class ContinuousPause : std::uint8_t { not_paused, paused, not_continuous };

struct QueueReading {
    bool paused{};
    Ps paused_for{};  // altogether
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
    bool xoff{};  // the sender was told to stop
};

class SwitchView {
public:
    explicit SwitchView(SwitchNode& node) : node_{&node} {}

    std::uint8_t ports() const { return node_->port_count_; }
    std::uint8_t lossless() const { return node_->lossless_; }  // priorities
    const SwitchProfile& profile() const { return node_->profile_; }
    const DropCounts& drops() const { return node_->drops_; }

    QueueReading queue(std::uint8_t port, std::uint8_t queue, Ps now) const;
    GroupReading group(std::uint8_t port, std::uint8_t group) const;
    // Bytes that came in by one port and wait in a queue of another.
    std::uint64_t waiting(std::uint8_t in, std::uint8_t out, std::uint8_t queue) const;
    // With so many bytes or fewer a paused sender may go on, if so many bytes of its pool are in use.
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

    // Was the queue paused all the time since this was last asked? Asking consumes it.
    ContinuousPause continuous_pause(std::uint8_t port, std::uint8_t queue, Ps now);
    // Queues of the port whose pause has lasted longer than its limit and still does.
    std::uint8_t pause_timeout(std::uint8_t port, Ps now) const;

    bool link_up(std::uint8_t port) const { return node_->up(port); }
    std::uint32_t epoch(std::uint8_t port) const { return node_->status_[port].epoch; }
    std::uint64_t speed_bps(std::uint8_t port) const { return node_->status_[port].speed.bps; }

    const PortRegisters& registers(std::uint8_t port) const { return node_->registers_[port]; }
    void write(std::uint8_t port, const PortRegisters& wanted, Ps now) { node_->write(port, wanted, now); }
    void set_alpha(std::uint8_t port, std::uint8_t group, std::int8_t exponent);
    // The buffer anew. What is in it stays; who has to stop or may go on is told when a frame of his group comes or
    // goes.
    void set_group(std::uint8_t port, std::uint8_t group, const PgProfile&);
    void set_pool_size(std::uint8_t pool, std::uint64_t bytes) { node_->ingress_pools_[pool].size = bytes; }
    void set_headroom_size(std::uint64_t bytes) { node_->headroom_pool_.size = bytes; }  // of all groups together
    void set_route(std::uint32_t host, std::span<const std::uint16_t> ports) { node_->set_route(host, ports); }
    void set_signal(std::uint8_t port, bool on, Ps now)
    {
        node_->set_signal(port, on, {}, now);
    }  // a cable cut or mended

    // What the ends of a link that is down have agreed on; it may come up then.
    void set_speed(std::uint8_t port, BitRate speed) { node_->set_speed(port, speed); }

    // Why the link last went down, and how to make it: off for a reason, on again (both: a bounce), or without power.
    link::LinkReading link(std::uint8_t port, Ps now) const { return node_->status_[port].link.read(now); }
    void take_down(std::uint8_t port, const Farewell&, Ps now);
    void bring_up(std::uint8_t port, Ps now);
    void lose_power(std::uint8_t port, Ps now);
    bool arm_link(std::uint8_t port, std::uint64_t ack) { return node_->status_[port].link.arm(ack); }
    bool activate_link(std::uint8_t port) { return node_->status_[port].link.activate(); }
    void tap(std::uint8_t port, Tap*);

    // The port's scheduler is sick: it hands out data at this rate at most, or none at all; and it is well again. The
    // link, its speed and pause are as before.
    void limit_egress(std::uint8_t port, BitRate rate, Ps now) { node_->set_scheduler(port, pace_of(rate), now, now); }
    void stop_egress(std::uint8_t port, Ps now) { node_->set_scheduler(port, 0, kForever, now); }
    void heal_egress(std::uint8_t port, Ps now) { node_->set_scheduler(port, 0, 0, now); }

    // The hardware's own detectors; 0 = off. They watch pauses that begin after they were set.
    void set_deadlock_timers(std::uint8_t port, std::uint8_t queue, Ps detect, Ps recover);
    // A pause that is under way is watched as well, as if it had begun now.
    void restart_detection(std::uint8_t port, std::uint8_t queue, Ps now);
    // A recovery that is under way ends before its time.
    void end_recovery(std::uint8_t port, std::uint8_t queue, Ps now);
    void set_recovery_action(std::uint8_t port, bool drops) { node_->status_[port].recovery_drops = drops; }
    void set_pause_limit(std::uint8_t port, Ps limit) { node_->status_[port].pause_limit = limit; }
    bool recovering(std::uint8_t port, std::uint8_t queue) const;
    void on_interrupt(std::function<void(const Interrupt&, Ps)> hear) { node_->on_interrupt_ = std::move(hear); }

private:
    SwitchNode* node_;
};

}  // namespace petrel::twin
