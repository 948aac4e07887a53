// Fabrics for tests: one generator of each kind with small random numbers, and walks along their routes.
#pragma once

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "topology/generators.hpp"
#include "topology/lookup.hpp"
#include "topology/routes.hpp"

namespace petrel::test {

using topology::NodeId;
using topology::Topology;

inline constexpr topology::LinkShape k100G{BitRate{100'000'000'000}, std::chrono::microseconds{1}};
inline constexpr topology::LinkShape k400G{BitRate{400'000'000'000}, std::chrono::nanoseconds{500}};

// Evenly distributed over the whole range, also in the first, small cases of a property.
inline std::uint32_t number(std::uint32_t least, std::uint32_t most)
{
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

inline Topology any_fabric()
{
    switch (number(0, 5)) {
    case 0: return topology::single_switch(number(1, 9), k100G).value();
    case 1: return topology::dumbbell(number(1, 5), number(1, 5), k100G, k400G).value();
    case 2: return topology::ring(number(3, 8), number(1, 3), k100G, k400G).value();
    case 3: return topology::leaf_spine(number(1, 5), number(1, 4), number(1, 3), k100G, k400G).value();
    case 4: {
        const auto spines = number(1, 3);
        return topology::clos3({number(1, 4), number(1, 3), spines, spines * number(1, 3), number(1, 3)}, k100G, k400G)
            .value();
    }
    default: return topology::fat_tree(2 * number(1, 3), k100G, k400G).value();
    }
}

inline std::vector<NodeId> nodes_of(const Topology& fabric, topology::Kind kind)
{
    std::vector<NodeId> found;
    for (std::uint32_t i = 0; i < fabric.nodes.size(); ++i) {
        if (fabric.nodes[i].kind == kind) {
            found.push_back(NodeId{i});
        }
    }
    return found;
}

inline NodeId peer(const topology::Link& link, NodeId of)
{
    return link.ends[0].node == of ? link.ends[1].node : link.ends[0].node;
}

}  // namespace petrel::test
