// A topology as plain data: nodes, their ports, and the links between them. The twin, the lab and the fabric view use
// it. A node is a switch or a host's NIC. Ports count from 0 on each node, and a link joins two ports.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ratio>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace petrel::topology {

using NodeId = Id<struct NodeTag>;  // index into Topology::nodes

using Delay = std::chrono::duration<std::int64_t, std::pico>;

enum class Kind : std::uint8_t { host, fabric_switch };

struct Node {
    std::string name;
    Kind kind{};
    std::uint8_t tier{};           // 0 = host, 1 = leaf or ToR, 2 = spine or aggregation, 3 = core
    std::vector<PortNames> ports;  // ports[port]
};

struct End {
    NodeId node;
    std::uint16_t port{};
    auto operator<=>(const End&) const = default;
};

struct Link {
    std::array<End, 2> ends;
    BitRate speed;
    Delay delay;  // one way, first bit in to first bit out
};

struct Topology {
    std::vector<Node> nodes;
    std::vector<Link> links;
};

}  // namespace petrel::topology
