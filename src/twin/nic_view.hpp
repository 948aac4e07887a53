// The software's view of a NIC: counters, registers, and faults to inject. The contract is that of SwitchView.
#pragma once

#include <cstdint>

#include "twin/host_node.hpp"

namespace petrel::twin {

struct NicReading {
    std::uint64_t taken{};       // frames of the priority that left the port buffer
    std::uint64_t pause_sent{};  // pause frames sent for the priority, XOFF and XON
    Ps pausing_for{};            // total time for which it paused the switch
    bool pausing{};
    bool paused{};  // by the switch
    Ps paused_for{};
    std::uint64_t rx_xoff{};
    std::uint64_t rx_xon{};
    std::uint64_t pauses_ended{};
};

class NicView {
public:
    explicit NicView(HostNode& node) : node_{&node} {}

    NicReading read(std::uint8_t priority, Ps now) const;
    std::uint8_t priority_of(std::uint8_t dscp) const { return node_->priority_of_dscp_[dscp]; }
    std::uint32_t buffered_bytes() const { return node_->pipeline_.bytes; }
    const NicProfile& profile() const { return node_->profile_; }
    const DropCounts& drops() const { return node_->drops_; }
    bool link_up() const { return node_->up(); }
    std::uint32_t epoch() const { return node_->epoch_; }
    std::uint64_t speed_bps() const { return node_->speed_.bps; }

    // The watchdog's register: priorities for which pause may be sent.
    std::uint8_t pause_tx() const { return node_->pause_tx_; }
    void set_pause_tx(std::uint8_t priorities, Ps now);
    bool enabled() const { return node_->enabled_; }  // the transmitter is on

    // Faults and repair.
    void stop_pipeline(Ps now) { node_->set_pipeline(Pipeline::State::stopped, {}, now); }
    void limit_pipeline(BitRate rate, Ps now) { node_->set_pipeline(Pipeline::State::limited, rate, now); }
    void heal_pipeline(Ps now) { node_->set_pipeline(Pipeline::State::wire_speed, {}, now); }
    void start_storm(Storm, Ps now);
    void stop_storms(Ps now);
    void die(Ps now);
    void reboot(Ps now) { node_->reset(now); }
    void set_enabled(bool on, Ps now) { node_->set_enabled(on, {link::kUnknownReason}, now); }
    void set_signal(bool on, Ps now) { node_->set_signal(on, {}, now); }
    void set_speed(BitRate speed, std::uint8_t lanes) { node_->set_speed(speed, lanes); }  // as in SwitchView
    void lose_lanes(std::uint8_t lanes, Ps now) { node_->lose_lanes(lanes, now); }

    // As in SwitchView.
    link::LinkReading link(Ps now) const { return node_->link_.read(now); }
    bool link_went_down() const { return node_->link_.went_down(); }
    void take_down(const PortDown& down, Ps now) { node_->set_enabled(false, down, now); }
    void bring_up(Ps now) { set_enabled(true, now); }
    void lose_power(Ps now);
    bool arm_link(std::uint64_t ack) { return node_->link_.arm(ack); }
    bool activate_link() { return node_->link_.activate(); }
    void tap(Tap*);

private:
    HostNode* node_;
};

}  // namespace petrel::twin
