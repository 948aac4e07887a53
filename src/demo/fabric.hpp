// The state of the demo's fabric, once per simulated millisecond: which nodes are paused by which, which stand still,
// what arrives. Only measures; Story describes it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lab/experiment.hpp"
#include "lab/standstill.hpp"

namespace petrel::demo {

inline constexpr std::size_t kTiers = 4;  // 0 = servers, then leaf, spine and core switches

enum class Condition : std::uint8_t { moves, paused, stands };  // paused: at least one of its ports is

struct FabricNow {
    twin::Ps at{};
    std::array<std::vector<Condition>, kTiers> tiers;  // [tier][node]; of the servers only the healthy ones
    std::set<std::pair<unsigned, unsigned>> pauses;    // a node of the first tier pauses one of the second
    std::uint32_t servers_paused{};                    // healthy ones
    std::uint32_t ports_paused{};                      // of switches
    std::uint64_t pause_frames{};                      // that arrived anywhere so far
    std::uint32_t flows_moving{};                      // between healthy servers
    double healthy_bps{};                              // between healthy servers
    double sick_bps{};                                 // to the sick server
    std::uint64_t delivered{};                         // frames between healthy servers so far
    std::uint64_t lost_at_sick{};                      // frames so far, at the sick server and at the port to it
    std::uint64_t lost_elsewhere{};
    twin::Ps longest_wait{};     // longest total pause of a healthy server
    twin::Ps sick_pauses_for{};  // time since the sick server began to pause its switch

    std::size_t standing(std::size_t tier) const;
};

class FabricWatch {
public:
    // Rates and standstill are measured over this time, in which a flow of the demo sends fourteen frames.
    static constexpr twin::Ps kLooksBack = 12 * twin::kMs;

    // The first fault of the experiment makes a server sick. The experiment outlives this object.
    explicit FabricWatch(const lab::Experiment&);

    FabricNow look();  // once every millisecond

    twin::NodeId sick() const { return sick_; }
    std::uint32_t healthy_flows() const { return healthy_flows_; }
    std::uint32_t ports() const { return ports_; }  // of all switches

private:
    struct Port {
        topology::End end;
        twin::NodeId far;
    };
    struct Past {
        lab::Standstill standstill;
        std::vector<std::uint64_t> delivered;  // [flow]
    };

    std::set<twin::NodeId> look_at_ports(FabricNow&) const;  // the nodes that are paused
    void look_at_nodes(FabricNow&, const std::set<twin::NodeId>& paused) const;
    void look_at_flows(FabricNow&) const;
    std::vector<std::uint64_t> delivered() const;

    const twin::Twin& twin_;
    twin::NodeId sick_;
    std::vector<Port> sides_;  // both ends of every link
    std::uint32_t healthy_flows_{};
    std::uint32_t ports_{};
    std::optional<twin::Ps> sick_pauses_since_;
    std::deque<Past> past_;  // one per millisecond, the oldest first
};

}  // namespace petrel::demo
