// A packet-level twin of a lossless fabric. Give it a topology, profiles and flows; it runs them in simulated time, to
// the same result to the bit whatever the number of threads. Faults, agents and measurements are calls at a moment:
// at() runs them on the node they concern, between what happened there before and after.
//
// Contract: at() may be called before a run, between two runs, or inside a call for the same node. A call touches its
// own node only, through its view.
//
// Several processes may run one twin together (peers.hpp): each makes the same calls, at() counts where the node runs,
// and a view tells the truth there alone. Flows and totals are known to all after a run.
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
    std::uint64_t injected{};   // frames hosts sent, and copies made by flooding; pause frames are the links' own
    std::uint64_t delivered{};  // frames hosts took
    std::uint64_t in_flight{};  // on links, in queues, in port buffers
    DropCounts drops;
    Ps last_ack{};
    std::uint64_t digest{};
};

struct FlowReading {
    std::uint64_t sent{};  // up to here, not counting what was sent again
    std::uint64_t acked{};
    std::uint64_t delivered{};  // in order (open loop: at all)
    std::uint64_t marked{};
    bool finished{};
    Ps finished_at{};
};

class Twin {
public:
    static Result<std::unique_ptr<Twin>> build(Setup, Peers* = nullptr);
    ~Twin();

    void run_until(Ps end);  // everything before `end`
    void run_until_flows_finish(Ps limit);
    Ps now() const;
    const Setup& setup() const;

    bool runs_here(NodeId) const;
    Peers* peers() const;  // null: this process is alone

    bool is_switch(NodeId) const;
    SwitchView switch_view(NodeId) const;
    NicView nic_view(NodeId) const;
    FlowReading flow(std::uint32_t index) const;

    void at(NodeId, Ps, std::function<void(Ps now)>);

    // Both ends of a link lose the signal, or have it again.
    void cut(std::uint32_t link, Ps when);
    void mend(std::uint32_t link, Ps when);
    // Both ends lose the signal and train for so long; then they have it again, at another speed.
    void set_speed(std::uint32_t link, BitRate, Ps when, Ps down);
    // All switches use the shortest paths without the failed links, from then on.
    void reroute(std::span<const std::uint32_t> failed_links, Ps when);
    // Frames that arrive over a link in both directions, from now on, at most so many each.
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
