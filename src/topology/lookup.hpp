// Finds nodes, ports and links by name. The scenario parser builds it once and uses it for every line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/topology.hpp"

namespace petrel::topology {

// The topology must be valid and outlive the lookup. Names are case-sensitive.
class Lookup {
public:
    explicit Lookup(const Topology&);

    std::optional<NodeId> node(std::string_view name) const;
    std::optional<End> port(NodeId, std::string_view name) const;
    std::optional<std::uint32_t> link(End) const;  // index of the link at this port, if any

private:
    const Topology& topology_;
    std::unordered_map<std::string_view, NodeId> nodes_;
    std::vector<std::vector<std::uint32_t>> link_at_;  // [node][port]
};

}  // namespace petrel::topology
