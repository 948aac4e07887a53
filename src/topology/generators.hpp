// Generators of the usual fabrics. All of them number in the same way, and work files and scenarios rely on it:
//   nodes   hosts first (0..H-1, named h0...), then the switches tier by tier
//   links   link i is the link of host i; then the links between switches, tier by tier, the lower end first
//   ports   of a switch: those towards hosts first, then up; named Ethernet0...; a host has the one port eth0
// An invalid number is an Error with the parameter, its value and the allowed values.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "topology/topology.hpp"

namespace petrel::topology {

inline constexpr std::uint32_t kMaxPorts = 512;     // of one switch
inline constexpr std::uint32_t kMaxHosts = 16'384;  // a fat-tree of k = 40 has 16,000

struct LinkShape {
    BitRate speed;
    Delay delay{};
};

// One switch, s0.
Result<Topology> single_switch(std::uint32_t hosts, LinkShape host_links);

// s0 with the hosts on the left, s1 with those on the right, one link between them.
Result<Topology> dumbbell(std::uint32_t left, std::uint32_t right, LinkShape host_links, LinkShape middle);

// s0, s1, ... and back to s0. After its hosts' ports a switch has one to its successor, then one to its predecessor.
Result<Topology> ring(std::uint32_t switches, std::uint32_t hosts_each, LinkShape host_links, LinkShape fabric_links);

// Every leaf (leaf0...) to every spine (spine0...).
Result<Topology> leaf_spine(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts_per_leaf,
                            LinkShape host_links, LinkShape fabric_links);

// Three tiers: in a pod every leaf (leaf<pod>-<leaf>) to every spine (spine<pod>-<spine>). The cores form one plane for
// each spine of a pod: core<s>-<c> connects spine s of every pod.
struct Clos3 {
    std::uint32_t pods{};
    std::uint32_t leaves_per_pod{};
    std::uint32_t spines_per_pod{};
    std::uint32_t cores{};  // in all planes together: a multiple of spines_per_pod
    std::uint32_t hosts_per_leaf{};
};
Result<Topology> clos3(const Clos3&, LinkShape host_links, LinkShape fabric_links);

// The Clos of k-port switches: k pods of k/2 tor<p>-<t> and k/2 agg<p>-<a>, and k/2 planes of k/2 core<a>-<c>.
// k = 8: host h on ToR(h / 16, h % 16 / 4), ToR(p, t) = 128 + 4p + t, Agg(p, a) = 160 + 4p + a, Core(a, c) = 192 + 4a +
// c.
Result<Topology> fat_tree(std::uint32_t k, LinkShape host_links, LinkShape fabric_links);

}  // namespace petrel::topology
