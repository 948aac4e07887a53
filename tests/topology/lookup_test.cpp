// Lookup of nodes, ports and links by name.
#include <gtest/gtest.h>

#include "fabrics.hpp"

namespace petrel {
namespace {

using namespace topology;

TEST(Lookup, FindsNodesPortsAndLinksByName)
{
    auto fabric = dumbbell(2, 1, test::k100G, test::k400G).value();
    fabric.nodes[3].ports.push_back({"Ethernet9", {}, {}});
    const Lookup lookup{fabric};
    EXPECT_EQ(lookup.node("s0"), NodeId{3});
    EXPECT_EQ(lookup.node("S0"), std::nullopt);
    EXPECT_EQ(lookup.node(""), std::nullopt);
    const auto to_s1 = lookup.port(NodeId{3}, "Ethernet2");
    EXPECT_EQ(to_s1, (End{NodeId{3}, 2}));
    EXPECT_EQ(lookup.port(NodeId{3}, "ethernet2"), std::nullopt);
    EXPECT_EQ(lookup.link(to_s1.value()), 3U);
    EXPECT_EQ(lookup.link({NodeId{0}, 0}), 0U);
    EXPECT_EQ(lookup.link({NodeId{3}, 3}), std::nullopt);
}

}  // namespace
}  // namespace petrel
