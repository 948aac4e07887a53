// A tier has the name that its switches have.
#include "topology/tiers.hpp"

#include <gtest/gtest.h>

namespace petrel::topology {
namespace {

Topology of(std::initializer_list<const char*> switches)
{
    Topology topology;
    topology.nodes.push_back({"h0", Kind::host, 0, {}});
    for (const auto* name : switches) {
        topology.nodes.push_back({name, Kind::fabric_switch, 1, {}});
    }
    return topology;
}

TEST(Tiers, AreNamedAsTheirSwitches)
{
    EXPECT_EQ(tier_name(of({"leaf0-0", "leaf1"}), 1), "leaf");
    EXPECT_EQ(tier_name(of({"leaf0-0"}), 0), "hosts");
}

TEST(Tiers, HaveNumbersWhereTheirSwitchesShareNoName)
{
    EXPECT_EQ(tier_name(of({"leaf0", "tor1"}), 1), "tier 1");
    EXPECT_EQ(tier_name(of({"s0", "s1"}), 1), "tier 1");
}

TEST(Tiers, ASwitchWithoutATierIsOfTheFirst)
{
    EXPECT_EQ(tier_of({"x", Kind::fabric_switch, 0, {}}), 1);
    EXPECT_EQ(tier_of({"h0", Kind::host, 3, {}}), 0);
}

}  // namespace
}  // namespace petrel::topology
