#include "topology/routes.hpp"

#include <algorithm>
#include <limits>

#include "base/assert.hpp"

namespace petrel::topology {
namespace {

constexpr auto kFar = std::numeric_limits<std::uint32_t>::max();

struct Neighbour {
    std::uint16_t port{};
    NodeId node;
};

using Neighbours = std::vector<std::vector<Neighbour>>;  // [node], ascending by port

Neighbours neighbours_of(const Topology& topology, std::span<const std::uint32_t> failed)
{
    std::vector<bool> dead(topology.links.size());
    for (const auto link : failed) {
        PETREL_ASSERT(link < topology.links.size(), "link {} of {}", link, topology.links.size());
        dead[link] = true;
    }
    Neighbours neighbours(topology.nodes.size());
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
        if (!dead[i]) {
            const auto& [a, b] = topology.links[i].ends;
            neighbours[a.node.value].push_back({a.port, b.node});
            neighbours[b.node.value].push_back({b.port, a.node});
        }
    }
    for (auto& of_node : neighbours) {
        std::sort(of_node.begin(), of_node.end(), [](const auto& a, const auto& b) { return a.port < b.port; });
    }
    return neighbours;
}

// Hops from every switch to one switch. Hosts stay at kFar, because no path leads through them.
class Distances {
public:
    Distances(const Topology& topology, const Neighbours& neighbours) : topology_(topology), neighbours_(neighbours) {}

    void measure(NodeId from)
    {
        hops_.assign(neighbours_.size(), kFar);
        hops_[from.value] = 0;
        queue_.assign(1, from);
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            const auto at = queue_[next];
            for (const auto& neighbour : neighbours_[at.value]) {
                if (hops_[neighbour.node.value] == kFar &&
                    topology_.nodes[neighbour.node.value].kind == Kind::fabric_switch) {
                    hops_[neighbour.node.value] = hops_[at.value] + 1;
                    queue_.push_back(neighbour.node);
                }
            }
        }
    }

    std::uint32_t operator[](NodeId node) const { return hops_[node.value]; }
    std::span<const NodeId> reached() const { return queue_; }  // nearest first, including the start

private:
    const Topology& topology_;
    const Neighbours& neighbours_;
    std::vector<std::uint32_t> hops_;
    std::vector<NodeId> queue_;
};

std::size_t hash_of(std::span<const std::uint16_t> ports)
{
    std::size_t hash = ports.size();
    for (const auto port : ports) {
        hash = (hash ^ port) * 0x9e37'79b9'7f4a'7c15U;
    }
    return hash;
}

}  // namespace

Routes::Routes(const Topology& topology, std::span<const std::uint32_t> failed)
{
    std::vector<NodeId> switches;
    std::size_t hosts = 0;
    for (std::uint32_t i = 0; i < topology.nodes.size(); ++i) {
        const bool is_host = topology.nodes[i].kind == Kind::host;
        place_.push_back(is_host ? hosts++ : switches.size());
        if (!is_host) {
            switches.push_back(NodeId{i});
        }
    }
    for (const auto at : switches) {
        place_[at.value] *= hosts;
    }
    table_.assign(switches.size() * hosts, intern({}));

    const auto neighbours = neighbours_of(topology, failed);
    Distances hops{topology, neighbours};
    std::vector<NodeId> own_hosts;
    std::vector<std::uint16_t> nearer;
    for (const auto last : switches) {
        // All hosts of one switch have the same routes except for the last hop.
        own_hosts.clear();
        for (const auto& [port, node] : neighbours[last.value]) {
            if (topology.nodes[node.value].kind == Kind::host) {
                own_hosts.push_back(node);
                table_[place_[last.value] + place_[node.value]] = intern({&port, 1});
            }
        }
        if (own_hosts.empty()) {
            continue;
        }
        hops.measure(last);
        for (const auto at : hops.reached().subspan(1)) {
            nearer.clear();
            for (const auto& [port, node] : neighbours[at.value]) {
                if (hops[node] < hops[at]) {
                    nearer.push_back(port);
                }
            }
            const auto set = intern(nearer);
            for (const auto host : own_hosts) {
                table_[place_[at.value] + place_[host.value]] = set;
            }
        }
    }
}

void Routes::set(NodeId at_switch, NodeId to_host, std::span<const std::uint16_t> ports)
{
    std::vector<std::uint16_t> ascending(ports.begin(), ports.end());
    std::sort(ascending.begin(), ascending.end());
    ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
    table_[place_[at_switch.value] + place_[to_host.value]] = intern(ascending);
}

std::uint32_t Routes::intern(std::span<const std::uint16_t> ascending)
{
    const auto hash = hash_of(ascending);
    for (auto [at, end] = known_.equal_range(hash); at != end; ++at) {
        const auto* set = &sets_[at->second];
        if (std::equal(ascending.begin(), ascending.end(), set + 1, set + 1 + *set)) {
            return at->second;
        }
    }
    const auto position = static_cast<std::uint32_t>(sets_.size());
    sets_.push_back(static_cast<std::uint16_t>(ascending.size()));
    sets_.insert(sets_.end(), ascending.begin(), ascending.end());
    known_.emplace(hash, position);
    return position;
}

}  // namespace petrel::topology
