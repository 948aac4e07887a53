// A switch. Where a packet is: in the input port's wire until it arrives; then (unless the output is idle) in the ring
// of its egress queue, charged to its ingress group; then in the output port's wire.
//
// The hot path is arrive() and opportunity(); both touch one line of the input port, one of the group, one of the queue
// and one of the output port. Everything unusual (mitigation, squeeze, a link that is down) is checked only if one flag
// of the port is set. A node runs one window at a time, alone. Order of events inside a window: (time, transmit
// opportunities by port, arrivals by port, agenda).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "twin/agenda.hpp"
#include "twin/buffer.hpp"
#include "twin/config.hpp"
#include "twin/drops.hpp"
#include "twin/event_keys.hpp"
#include "twin/packet_ring.hpp"
#include "twin/pause_frame.hpp"
#include "twin/pause_meter.hpp"
#include "twin/port.hpp"
#include "twin/port_link.hpp"

namespace petrel::twin {

// One (port, queue), one cache line.
struct alignas(64) EgressQueue {
    PacketRing ring;
    std::uint32_t bytes{};
    std::uint32_t watch{UINT32_MAX};  // from this length on, marking is checked; 0 = the queue has a limit
    std::int32_t deficit{};
    std::uint32_t quantum{};
    std::uint32_t peak{};
    std::uint64_t tx_packets{};
    std::uint64_t tx_bytes{};
};
static_assert(sizeof(EgressQueue) == 64);

// Data of a queue that is rarely used.
struct QueueExtra {
    std::uint64_t drops{};
    std::uint64_t marked{};
    std::uint64_t pause_sent{};  // pause frames sent for this priority
    Ps read_at{};                // when the continuous pause state was last read
    Ps detect{};                 // times of the hardware's own deadlock detection and recovery; 0 = off
    Ps recover{};
    Ps detect_from{};  // pause before this time does not count: it belongs to a recovery
    std::uint64_t deadlocks{};
};

// The registers of a port; masks have a bit for each priority. Software writes all of them at once through the view,
// which applies the change.
struct PortRegisters {
    std::uint8_t pause_rx{};         // PFC enable: received pause is honoured
    std::uint8_t pause_tx{};         // pause is sent
    std::uint8_t ignore_pause{};     // mitigations; they override the enables above
    std::uint8_t discard_egress{};   // queued frames are flushed, later frames are discarded
    std::uint8_t discard_ingress{};  // frames received on this port are discarded
    std::uint8_t send_no_pause{};
    std::uint8_t lossless_off{};          // lossless mode off: frames discarded in both directions, no pause
    std::uint16_t max_frame_bytes{9216};  // longer frames are discarded at the output
    bool enabled{true};                   // the transmitter is on
    bool operator==(const PortRegisters&) const = default;
};

// The hardware's state of a port.
struct PortStatus {
    bool signal{true};       // the far transmitter is on
    PortLink link;           // why it last went down
    std::uint32_t epoch{1};  // increases when the link goes up or down, and when it loses lanes
    BitRate speed;
    std::uint8_t lanes{kLanes};
    std::uint32_t speeds{};     // number of speed changes: timers of an earlier speed are ignored
    std::uint8_t recovering{};  // queues in recovery after the hardware detected a deadlock
    bool recovery_drops{true};  // recovery discards; else it ignores pause
    Ps pause_limit{};           // limit of the hardware's pause-too-long detector; 0 = off
    // A faulty scheduler sends data frames more slowly than the link allows. It does not affect pause frames.
    std::uint32_t data_pace{};  // picoseconds per byte of the fault, times 1024; 0 = no such fault
    Ps data_from{};             // no data frame before this time; kForever = none at all

    bool sick() const { return data_pace != 0 || data_from == kForever; }
};

// An interrupt of the hardware.
struct Interrupt {
    enum class Kind : std::uint8_t { deadlock, recovered, pause_too_long, link_down, link_up } kind{};
    std::uint8_t port{};
    std::uint8_t queue{};
};

struct RouteGroup {
    std::uint8_t count{};
    std::array<std::uint8_t, 63> ports{};
};

class SwitchNode {
public:
    static constexpr std::uint8_t kMaxPorts = 64;
    static constexpr std::uint16_t kNoRoute = 0xffff;

    SwitchNode(std::uint32_t id, std::uint8_t ports, const SwitchProfile&, std::uint32_t overhead_bytes,
               std::uint64_t seed, std::span<const PauseTimes>, Arena&);

    OutPort& out(std::uint8_t port) { return outs_[port]; }
    InPort& in(std::uint8_t port) { return ins_[port]; }
    std::uint8_t ports() const { return port_count_; }

    // Called at setup, and while the link is down.
    void set_speed(std::uint8_t port, BitRate, std::uint8_t lanes = kLanes);
    void set_policy(std::uint8_t port, const link::LinkPolicy& policy) { status_[port].link.set_policy(policy); }

    // The output ports towards a host: one, several (ECMP), or none (an empty span).
    void set_route(std::uint32_t host, std::span<const std::uint16_t> ports);

    // Runs the whole window and returns the time of the next event after it; `mail_in`: input ports with new frames.
    Ps run(const Window&, std::uint64_t mail_in, Mail* mail_out);

    // Calls once at that time, after all other events of that time.
    void call_at(Ps when, std::function<void(Ps)> call) { agenda_.call_at(when, std::move(call)); }

    // ---- results
    std::uint64_t arrivals() const { return arrivals_; }
    std::uint64_t events() const { return events_; }
    std::uint64_t digest() const { return digest_; }
    const DropCounts& drops() const { return drops_; }
    std::uint64_t flooded() const { return flooded_; }  // copies beyond the frame itself
    std::uint64_t waiting() const;                      // frames in queues

private:
    friend class SwitchView;

    EgressQueue& queue(std::uint8_t port, std::uint8_t q) { return queues_[port * std::size_t{kPriorities} + q]; }
    IngressGroup& group(std::uint8_t port, std::uint8_t g) { return groups_[port * std::size_t{kPriorities} + g]; }
    PauseMeter& meter(std::uint8_t port, std::uint8_t q) { return meters_[port * std::size_t{kPriorities} + q]; }
    QueueExtra& extra(std::uint8_t port, std::uint8_t q) { return extras_[port * std::size_t{kPriorities} + q]; }

    void arm(std::uint8_t port, Ps at)
    {
        at_[port] = at;
        keys_[port] = event_key(window_, at, port);
        const std::uint64_t bit = std::uint64_t{1} << port;
        tx_pending_ = at == kForever ? tx_pending_ & ~bit : tx_pending_ | bit;
    }
    void wake(std::uint8_t port, Ps now)  // the port may have frames to send, as soon as it is free
    {
        const Ps at = std::max(outs_[port].free_at, now);
        if (at < at_[port])
            arm(port, at);
    }
    void arm_arrival(std::uint8_t port);
    void arm_agenda();

    void arrive(std::uint8_t port, const Packet&, Ps);
    std::uint8_t route(const Packet&) const;
    void forward(std::uint8_t from, std::uint8_t to, Packet, std::uint8_t priority, Ps);
    bool passes_registers(std::uint8_t from, std::uint8_t to, const Packet&, std::uint8_t priority);
    bool mark_or_refuse(std::uint8_t to, std::uint8_t q, Packet&);
    void leave_egress(std::uint8_t q, const Packet& p)
    {
        if (profile_.queues[q].limit.mode != Limit::Mode::none)
            egress_pools_[profile_.queues[q].pool].used -= p.bytes;
    }
    void unroutable(std::uint8_t from, const Packet&, std::uint8_t priority, Ps);

    void opportunity(std::uint8_t port, Ps);
    std::uint8_t pick(std::uint8_t port, std::uint8_t ready);
    void expire_pauses(std::uint8_t port, Ps);
    void hold_data(std::uint8_t port, const Packet&, Ps);
    void set_scheduler(std::uint8_t port, std::uint32_t pace, Ps from, Ps);
    Ps first_expiry(std::uint8_t port) const;
    void release(const Packet&, Ps);
    void stop_sender(std::uint8_t port, IngressGroup&, Ps);
    void plan_pause_frame(std::uint8_t port, std::uint8_t priorities, Ps);
    void send_pause(std::uint8_t port, Ps);

    void receive_pause(std::uint8_t port, const Packet&, Ps);
    void apply_pause(std::uint8_t port, const Packet&, Ps);
    void set_signal(std::uint8_t port, bool on, SentReason, Ps);
    void send_signal(std::uint8_t port, bool on, SentReason, Ps);
    void link_changed(std::uint8_t port, bool was_up, Ps);
    void lose_lanes(std::uint8_t port, std::uint8_t lanes, Ps);
    void enforce_policy(std::uint8_t port, Ps);
    link::LinkShape shape(std::uint8_t port) const { return link_shape(status_[port].speed, status_[port].lanes); }
    bool up(std::uint8_t port) const { return registers_[port].enabled && status_[port].signal; }
    void write(std::uint8_t port, const PortRegisters&, Ps, const PortDown& = {link::kSwitchManagement});
    void apply(std::uint8_t port, std::uint8_t was_discarded, Ps);
    void flush(std::uint8_t port, std::uint8_t priorities, Drop, Ps);
    std::uint8_t recovering(std::uint8_t port) const;  // priorities whose queues the hardware is recovering
    std::uint8_t ignored(std::uint8_t port) const;     // priorities whose received pause is ignored
    std::uint8_t discarded(std::uint8_t port) const;   // priorities that are discarded at the output
    std::uint8_t refused(std::uint8_t port) const;     // priorities that are discarded at the input
    std::uint8_t may_pause(std::uint8_t port) const;   // priorities for which pause may be sent
    void watch_pause(std::uint8_t port, std::uint8_t q, Ps);
    void queue_detector(std::uint8_t port, std::uint8_t q, Ps);
    void recovery_end(std::uint8_t port, std::uint8_t q, Ps);
    void port_detector(std::uint8_t port, std::uint8_t q, Ps);
    void interrupt(Interrupt::Kind, std::uint8_t port, std::uint8_t q, Ps);
    void perform(const Todo&, Ps);
    void refresh(std::uint8_t port, Ps);
    void plan_refresh(std::uint8_t port, Ps);
    void count_drop(Drop why) { ++drops_[why]; }

    // -- hot
    std::uint32_t* keys_;  // (time in window << 12 | source): transmit by port, arrival by port, agenda
    std::uint32_t key_count_;
    std::uint8_t port_count_;
    Window window_;
    Mail* mail_{};
    Ps* at_;  // the same sources without the agenda, in absolute time: next opportunity, next arrival
    OutPort* outs_;
    InPort* ins_;
    IngressGroup* groups_;
    EgressQueue* queues_;
    Pool headroom_pool_;
    std::array<Pool, 4> ingress_pools_{};
    std::uint64_t digest_;
    std::uint64_t arrivals_{};
    std::uint64_t events_{};
    std::uint64_t rx_pending_{};  // input ports with frames in flight
    std::uint64_t tx_pending_{};  // output ports with a next opportunity
    std::uint32_t overhead_bytes_;
    std::uint32_t salt_;
    std::uint8_t strict_{};    // queues
    std::uint8_t lossless_{};  // priorities
    std::uint8_t honours_{};   // priorities whose pause an untreated port honours; a global pause affects all
    std::array<std::uint8_t, 64> priority_of_dscp_{};
    std::array<std::uint8_t, kPriorities> group_of_{};
    std::array<std::uint8_t, kPriorities> queue_of_{};
    std::vector<std::uint16_t> route_;  // by host: a port, or kMaxPorts + a row of route_groups_
    std::vector<RouteGroup> route_groups_;
    Arena& arena_;

    // -- cold
    std::uint32_t id_;
    SwitchProfile profile_;
    PauseMeter* meters_;
    QueueExtra* extras_;
    PortRegisters* registers_;
    PortStatus* status_;
    std::function<void(const Interrupt&, Ps)> on_interrupt_;
    std::array<std::uint8_t, kMaxPorts> robin_{};  // the weighted queue whose turn it is
    std::array<Pool, 4> egress_pools_{};
    Agenda agenda_;
    std::uint64_t refreshing_{};  // ports with a refresh on the agenda
    std::span<const PauseTimes> pause_times_;
    std::uint64_t random_;
    DropCounts drops_;
    std::uint64_t flooded_{};  // copies made
};

}  // namespace petrel::twin
