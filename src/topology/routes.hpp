// The ports by which a switch may send a frame to a host: all ports on shortest paths, counted in hops. The switch's
// hash selects one for each flow. After a link failure all routes are computed again; this takes a few milliseconds for
// 1,024 hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "topology/topology.hpp"

namespace petrel::topology {

class Routes {
public:
    // Routes of a valid topology without the failed links (indices into its links). Hosts do not forward.
    explicit Routes(const Topology&, std::span<const std::uint32_t> failed = {});

    // Ascending; empty = the host cannot be reached from there. The span is valid until the next set().
    std::span<const std::uint16_t> ports(NodeId at_switch, NodeId to_host) const
    {
        const auto* set = &sets_[table_[place_[at_switch.value] + place_[to_host.value]]];
        return {set + 1, *set};
    }

    // Replaces the computed route by a static one, even one that loops or leads nowhere.
    void set(NodeId at_switch, NodeId to_host, std::span<const std::uint16_t> ports);

private:
    // Each set of ports is stored once in sets_: its size, then the ports. A fabric has few different sets (a fat-tree
    // has one per port and one for "up"), so a lookup reads one word of the table and a cache line that is hot anyway.
    std::uint32_t intern(std::span<const std::uint16_t> ascending);

    std::vector<std::size_t> place_;    // of a switch: the start of its row; of a host: its column
    std::vector<std::uint32_t> table_;  // [switch row][host column]: a position in sets_
    std::vector<std::uint16_t> sets_;
    std::unordered_multimap<std::size_t, std::uint32_t> known_;  // hash of a set -> its position
};

}  // namespace petrel::topology
