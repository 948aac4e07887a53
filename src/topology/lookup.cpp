#include "topology/lookup.hpp"

#include <algorithm>
#include <limits>

namespace petrel::topology {
namespace {

constexpr auto kNoLink = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Lookup::Lookup(const Topology& topology) : topology_(topology)
{
    for (std::uint32_t i = 0; i < topology.nodes.size(); ++i) {
        nodes_.emplace(topology.nodes[i].name, NodeId{i});
        link_at_.emplace_back(topology.nodes[i].ports.size(), kNoLink);
    }
    for (std::uint32_t i = 0; i < topology.links.size(); ++i) {
        for (const auto& end : topology.links[i].ends) {
            link_at_[end.node.value][end.port] = i;
        }
    }
}

std::optional<NodeId> Lookup::node(std::string_view name) const
{
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? std::nullopt : std::optional{found->second};
}

std::optional<End> Lookup::port(NodeId node, std::string_view name) const
{
    const auto& ports = topology_.nodes[node.value].ports;
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&](const PortNames& port) { return port.name == name; });
    if (found == ports.end()) {
        return std::nullopt;
    }
    return End{node, static_cast<std::uint16_t>(found - ports.begin())};
}

std::optional<std::uint32_t> Lookup::link(End end) const
{
    const auto index = link_at_[end.node.value][end.port];
    return index == kNoLink ? std::nullopt : std::optional{index};
}

}  // namespace petrel::topology
