// A host's NIC with one port. A data frame is created when the line is free for it (a flow is a counter, not a queue);
// only acknowledgements wait in rings. Received frames are delivered at once, unless the receive pipeline is limited or
// stopped: then they wait in the port buffer, and the NIC pauses its switch. Order of events inside a window: (time,
// transmit opportunity, arrival, agenda).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "twin/agenda.hpp"
#include "twin/config.hpp"
#include "twin/dcqcn.hpp"
#include "twin/drops.hpp"
#include "twin/flow_state.hpp"
#include "twin/packet_ring.hpp"
#include "twin/pause_frame.hpp"
#include "twin/pause_meter.hpp"
#include "twin/port.hpp"
#include "twin/port_link.hpp"

namespace petrel::twin {

// The receive side of a NIC: frames leave the port buffer at line rate, at a lower rate, or not at all.
struct Pipeline {
    enum class State : std::uint8_t { wire_speed, limited, stopped } state{State::wire_speed};
    std::uint32_t pace{};  // picoseconds a byte takes, times 1024, when limited
    bool draining{};       // the end of the next frame is on the agenda
    std::uint32_t bytes{};
    std::uint32_t peak{};
    PacketRing waiting;
};

// A generator of pause frames with a fixed pattern, for a faulty NIC.
struct Storm {
    std::uint8_t priorities{};
    std::uint16_t quanta{65535};
    std::uint8_t times{};  // 1 + a row of Setup::pause_times, for a different time per priority; 0 = `quanta` for all
    Ps period{};           // between two frames
    Ps stop{kForever};
    Ps burst{};                 // sends for this long,
    Ps silence{};               // then is silent for this long; 0 = always on
    std::uint32_t xon_every{};  // every n-th frame is an XON; 0 = none
    Ps begun{};                 // set when it starts
    std::uint64_t sent{};
};

class HostNode {
public:
    HostNode(std::uint32_t id, const NicProfile&, std::uint32_t overhead_bytes, std::span<Sender> senders,
             std::span<Receiver> receivers, std::span<const PauseTimes>, Arena&);

    OutPort& out() { return out_; }
    InPort& in() { return in_; }

    void set_speed(BitRate, std::uint8_t lanes = kLanes);  // at setup, and while the link is down
    void set_policy(const link::LinkPolicy& policy) { link_.set_policy(policy); }
    void add_flow(std::uint32_t flow, Ps start, Ps stop);
    void control_rate(std::uint32_t flow, const Dcqcn&, BitRate line);

    Ps run(const Window&, bool mail_in, Mail* mail_out);

    // Calls once at that time, after all other events of that time.
    void call_at(Ps when, std::function<void(Ps)> call) { agenda_.call_at(when, std::move(call)); }

    // ---- results
    std::uint64_t arrivals() const { return arrivals_; }
    std::uint64_t events() const { return events_; }
    std::uint64_t digest() const { return digest_; }
    std::uint64_t injected() const { return injected_; }
    std::uint64_t delivered() const { return delivered_; }
    std::uint64_t waiting() const;  // frames in the NIC
    std::uint64_t flows_left() const { return flows_left_; }
    const DropCounts& drops() const { return drops_; }
    const Pipeline& pipeline() const { return pipeline_; }

private:
    friend class NicView;

    void arrive(const Packet&, Ps);
    void receive(const Packet&, Ps);
    void deliver(const Packet&, Ps);
    void take_data(const Packet&, Ps);
    void take_ack(const Packet&, Ps);
    void reply(Kind, std::uint32_t flow, const Receiver&, Ps);
    void notified(std::uint32_t flow, Ps);

    void wake(Ps now) { tx_at_ = std::min(tx_at_, std::max(out_.free_at, now)); }
    void opportunity(Ps);
    bool send_control(Ps);
    bool send_reply(Ps);
    bool send_data(Ps, Ps& again_at);
    void list(std::uint32_t flow);
    void finish(Sender&, Ps);

    bool up() const { return enabled_ && signal_; }
    void set_enabled(bool on, const PortDown&, Ps);
    void set_signal(bool on, SentReason, Ps);
    void link_changed(bool was_up, Ps);
    void lose_lanes(std::uint8_t lanes, Ps);
    void enforce_policy(Ps);
    void set_pipeline(Pipeline::State, BitRate, Ps);
    void reset(Ps);
    void refresh_odd() { in_.odd = dead_ || !up() || in_.tap != nullptr; }
    void send_pause(const Packet&, Ps);
    void receive_pause(const Packet&, Ps);
    void apply_pause(const Packet&, Ps);
    void pause_peer(std::uint8_t priority, Ps);
    void resume_peer(Ps);
    void drain(Ps);
    void start_draining(Ps);

    void perform(const Todo&, Ps);
    void set_pace(std::uint32_t flow, const RateControl&);
    void raise_rate(const Todo&, Ps);
    void start_flow(std::uint32_t flow, Ps);
    void retransmit(std::uint32_t flow, Ps);
    void refresh(Ps);
    void plan_refresh(Ps);
    void storm(std::uint32_t index, Ps);

    std::uint8_t priority_of(const Packet& p) const { return priority_of_dscp_[p.dscp()]; }

    // -- hot
    OutPort out_;
    InPort in_;
    Window window_;
    Mail* mail_{};
    Ps tx_at_{kForever};
    Ps rx_at_{kForever};
    std::uint64_t digest_;
    std::uint64_t arrivals_{};
    std::uint64_t events_{};
    std::uint64_t injected_{};
    std::uint64_t delivered_{};
    std::span<Sender> senders_;
    std::span<Receiver> receivers_;
    std::vector<std::uint32_t> listed_;  // flows with packets to send
    std::uint32_t turn_{};
    std::uint32_t overhead_bytes_;
    std::uint16_t ack_bytes_;
    bool rx_pending_{};
    bool dead_{};
    Pipeline pipeline_;
    std::array<PacketRing, kPriorities> replies_{};
    std::array<std::uint8_t, 64> priority_of_dscp_{default_dscp_map()};
    Arena& arena_;

    // -- cold
    std::uint32_t id_;
    NicProfile profile_;
    Agenda agenda_;
    std::array<PauseMeter, kPriorities> meters_{};
    std::span<const PauseTimes> pause_times_;
    std::vector<Packet> control_;  // pause frames of storms, to be sent
    std::vector<Storm> storms_;
    std::map<std::uint32_t, RateControl> rates_;
    std::uint8_t pause_tx_{0xff};  // the priorities for which it may send pause; a watchdog mutes the NIC here
    bool refreshing_{};
    std::uint64_t flows_left_{};
    bool enabled_{true};  // the transmitter is on
    bool signal_{true};   // and so is the switch's
    PortLink link_;       // why the link last went down
    std::uint32_t epoch_{1};
    BitRate speed_;
    std::uint8_t lanes_{kLanes};
    std::uint32_t speeds_{};  // number of speed changes: timers of an earlier speed are ignored
    std::array<PauseMeter, kPriorities> sent_pause_{};  // the pause that it sent
    std::array<std::uint64_t, kPriorities> taken_{};    // frames that left the port buffer
    DropCounts drops_;
};

}  // namespace petrel::twin
