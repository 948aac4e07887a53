// A packet-level twin of a lossless fabric. It runs a topology with profiles and flows in simulated time. The result is
// the same to the bit for any number of threads. Faults, agents and measurements are calls at a given time: at() runs
// them on their node, in order with the node's other events.
//
// Contract: at() may be called before a run, between two runs, or inside a call for the same node. A call accesses only
// its own node, through its view.
//
// Several processes may run one twin together (peers.hpp). Each process makes the same calls. at() and views work only
// in the process that runs the node. After a run all processes have the flows and totals.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "twin/drops.hpp"
#include "twin/nic_view.hpp"
#include "twin/peers.hpp"
#include "twin/setup.hpp"
#include "twin/switch_view.hpp"

namespace petrel::twin {

struct Totals {
    std::uint64_t packet_hops{};  // frames delivered over a link: data, ACK, PFC
    std::uint64_t events{};
    std::uint64_t windows{};
    std::uint64_t injected{};   // frames that hosts sent, and copies made by flooding; no pause frames
    std::uint64_t delivered{};  // frames that hosts received
    std::uint64_t in_flight{};  // on links, in queues, in port buffers
    DropCounts drops;
    Ps last_ack{};
    std::uint64_t digest{};
};

struct FlowReading {
    std::uint64_t sent{};  // without retransmissions
    std::uint64_t acked{};
    std::uint64_t delivered{};  // in order (open loop: in any order)
    std::uint64_t marked{};
    bool finished{};
    Ps finished_at{};
};

class Twin {
public:
    static Result<std::unique_ptr<Twin>> build(Setup, Peers* = nullptr);
    ~Twin();

    void run_until(Ps end);  // runs all events before `end`
    void run_until_flows_finish(Ps limit);
    Ps now() const;
    const Setup& setup() const;

    bool runs_here(NodeId) const;
    Peers* peers() const;  // null: this is the only process

    bool is_switch(NodeId) const;
    SwitchView switch_view(NodeId) const;
    NicView nic_view(NodeId) const;
    FlowReading flow(std::uint32_t index) const;

    void at(NodeId, Ps, std::function<void(Ps now)>);

    // Both ends of a link lose the signal, or get it back.
    void cut(std::uint32_t link, Ps when);
    void repair(std::uint32_t link, Ps when);
    // Both ends lose the signal for the time `down` (training) and then get it back at another speed. An end whose
    // policy refuses what they trained takes the link down again.
    void set_speed(std::uint32_t link, BitRate, Ps when, Ps down, std::uint8_t lanes = kLanes);
    // The link has only this many lanes from now on, and its speed falls. An end whose policy refuses it takes the link
    // down.
    void lose_lanes(std::uint32_t link, std::uint8_t lanes, Ps when);
    // From then on, all switches use the shortest paths without the failed links.
    void reroute(std::span<const std::uint32_t> failed_links, Ps when);
    // Captures frames that arrive over a link from now on, at most `frames` in each direction.
    void capture(std::uint32_t link, std::size_t frames);
    std::span<const Tap::Record> captured(std::uint32_t link, std::size_t end) const;

    Totals totals() const;  // asserts that every frame is accounted for

private:
    struct Parts;
    void set_signal(std::uint32_t link, bool on, Ps when);
    explicit Twin(std::unique_ptr<Parts>);
    std::unique_ptr<Parts> parts_;
};

}  // namespace petrel::twin
