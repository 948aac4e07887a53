// From the names people write to the numbers inside. For readers of scenarios: built once, asked for every line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/topology.hpp"

namespace petrel::topology {

// Of a sound topology, which has to outlive it. Upper and lower case differ.
class Lookup {
public:
    explicit Lookup(const Topology&);

    std::optional<NodeId> node(std::string_view name) const;
    std::optional<End> port(NodeId, std::string_view name) const;
    std::optional<std::uint32_t> link(End) const;  // index of the link at this port, if one is

private:
    const Topology& topology_;
    std::unordered_map<std::string_view, NodeId> nodes_;
    std::vector<std::vector<std::uint32_t>> link_at_;  // [node][port]
};

}  // namespace petrel::topology
