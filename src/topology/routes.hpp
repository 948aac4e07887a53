// Where a switch may send a frame for a host: all ports on shortest paths, counted in hops. Which one of them a flow
// takes is the business of whoever hashes. A failed link means new routes, computed as a whole: 1,024 hosts take a few
// milliseconds.
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
    // Of a sound topology without the failed links (indices into its links). Hosts do not pass on what is not theirs.
    explicit Routes(const Topology&, std::span<const std::uint32_t> failed = {});

    // Ascending; none: the host cannot be reached from there. A view that holds until the next set().
    std::span<const std::uint16_t> ports(NodeId at_switch, NodeId to_host) const
    {
        const auto* set = &sets_[table_[place_[at_switch.value] + place_[to_host.value]]];
        return {set + 1, *set};
    }

    // A static route instead of what was computed, even one that loops or leads nowhere.
    void set(NodeId at_switch, NodeId to_host, std::span<const std::uint16_t> ports);

private:
    // A set of ports stands in sets_ once: its size, then the ports. A fabric knows few different ones (a fat-tree one
    // for each port and one for "up"), so that a lookup touches one word of the table and a line that is hot anyway.
    std::uint32_t intern(std::span<const std::uint16_t> ascending);

    std::vector<std::size_t> place_;    // of a switch: where its row begins; of a host: its column
    std::vector<std::uint32_t> table_;  // [switch row][host column]: a position in sets_
    std::vector<std::uint16_t> sets_;
    std::unordered_multimap<std::size_t, std::uint32_t> known_;  // hash of a set -> its position
};

}  // namespace petrel::topology
