#include "twin/shares.hpp"

#include <map>

namespace petrel::twin {

std::vector<unsigned> shares(const topology::Topology& topology, unsigned count)
{
    const auto& nodes = topology.nodes;
    const auto is_switch = [&](std::size_t id) { return nodes[id].kind == topology::Kind::fabric_switch; };
    const auto work = [&](std::size_t id) { return nodes[id].ports.size() + 1; };  // not 0, even without ports
    std::map<std::uint8_t, std::size_t> work_of_tier;
    for (std::size_t id = 0; id != nodes.size(); ++id)
        if (is_switch(id))
            work_of_tier[nodes[id].tier] += work(id);

    std::vector<unsigned> share(nodes.size());
    std::map<std::uint8_t, std::size_t> dealt;
    for (std::size_t id = 0; id != nodes.size(); ++id) {
        if (!is_switch(id))
            continue;
        const auto tier = nodes[id].tier;
        share[id] = static_cast<unsigned>(dealt[tier] * count / work_of_tier[tier]);
        dealt[tier] += work(id);
    }
    for (const auto& link : topology.links)
        for (const std::size_t side : {0U, 1U})
            if (!is_switch(link.ends[side].node.value))
                share[link.ends[side].node.value] = share[link.ends[1 - side].node.value];
    return share;
}

}  // namespace petrel::twin
