// A switch. Where a packet lives: in the input port's wire until it arrives, then (unless the output is idle) in the
// ring of its egress queue, charged to the ingress group it came by, then in the output port's wire.
//
// The hot path is arrive() and opportunity(); both touch one line of the input port, one of the group, one of the queue
// and one of the output port. All that is set by registers (mitigation, squeeze, a link that is down) hides behind one
// flag of each port. Nodes run one window at a time, alone: the order inside is (time, transmit opportunities by port,
// arrivals by port, agenda).
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
#include "twin/pause_meter.hpp"
#include "twin/port.hpp"

namespace petrel::twin {

// One (port, queue), one cache line.
struct alignas(64) EgressQueue {
    PacketRing ring;
    std::uint32_t bytes{};
    std::uint32_t watch{UINT32_MAX};  // from here on marking or a limit has to be looked at
    std::int32_t deficit{};
    std::uint32_t quantum{};
    std::uint32_t peak{};
    std::uint64_t tx_packets{};
    std::uint64_t tx_bytes{};
};
static_assert(sizeof(EgressQueue) == 64);

// What a queue has beyond its hot line.
struct QueueExtra {
    std::uint64_t drops{};
    std::uint64_t marked{};
    std::uint64_t pause_sent{};  // frames that told this priority something
    Ps read_at{};                // the continuous pause state was last read
    Ps detect{};                 // the hardware's own deadlock detection and recovery; 0 = off
    Ps recover{};
    Ps recovering_until{};
    std::uint64_t deadlocks{};
};

// What software can set on a port, a bit for each priority where it is a mask.
struct PortRegisters {
    std::uint8_t pause_rx{0xff};  // PFC enable: received pause is honoured
    std::uint8_t pause_tx{0xff};  // pause is sent
    std::uint8_t ignore_pause{};  // mitigations, over what is enabled above
    std::uint8_t discard_egress{};
    std::uint8_t discard_ingress{};
    std::uint8_t send_no_pause{};
    std::uint16_t max_frame_bytes{9216};
    bool up{true};
    Ps pause_limit{};              // the hardware's own pause-too-long detection; 0 = off
    std::uint8_t pause_timeout{};  // status: queues that were paused longer
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
               std::uint64_t seed, Arena&);

    OutPort& out(std::uint8_t port) { return outs_[port]; }
    InPort& in(std::uint8_t port) { return ins_[port]; }
    std::uint8_t ports() const { return port_count_; }

    // Where frames to a host go: a port, several that share the flows, or none (an empty span).
    void set_route(std::uint32_t host, std::span<const std::uint16_t> ports);
    void resize_routes(std::size_t hosts) { route_.assign(hosts, kNoRoute); }

    // Runs all of the window and returns the time of the next event after it; `mail_in`: input ports that got frames.
    Ps run(const Window&, std::uint64_t mail_in, Mail* mail_out);

    // ---- results
    std::uint64_t arrivals() const { return arrivals_; }
    std::uint64_t events() const { return events_; }
    std::uint64_t digest() const { return digest_; }
    const DropCounts& drops() const { return drops_; }

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
    void wake(std::uint8_t port, Ps now)  // the port may have something to send: as soon as it is free
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
    void unroutable(std::uint8_t from, const Packet&, std::uint8_t priority, Ps);

    void opportunity(std::uint8_t port, Ps);
    std::uint8_t pick(OutPort&, std::uint8_t port, std::uint8_t ready);
    void expire_pauses(std::uint8_t port, Ps);
    Ps first_expiry(std::uint8_t port) const;
    void release(const Packet&, Ps);
    void tell(std::uint8_t port, std::uint8_t priorities, Ps);
    void send_pause(std::uint8_t port, Ps);

    void hear_pause(std::uint8_t port, const Packet&, Ps);
    void apply_pause(std::uint8_t port, const Packet&, Ps);
    void hear_signal(std::uint8_t port, const Packet&, Ps);
    void perform(const Todo&, Ps);
    void refresh(std::uint8_t port, Ps);
    Ps refresh_after(std::uint8_t port) const;
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
    std::array<std::uint8_t, kMaxPorts> robin_{};  // the weighted queue whose turn it is
    std::array<Pool, 4> egress_pools_{};
    Agenda agenda_;
    std::vector<std::function<void(Ps)>> calls_;
    std::uint64_t refreshing_{};  // ports with a refresh on the agenda
    std::uint64_t random_;
    DropCounts drops_;
};

}  // namespace petrel::twin
