// A Slingshot switch in a scenario: its registers and the names of its ports. The complaints are in
// tests/golden/codec/scenario/slingshot.txt.
#include <gtest/gtest.h>

#include "codec/scenario/reader.hpp"

namespace petrel::codec {
namespace {

constexpr std::string_view kSlingshotLeaf = R"(
name = "slingshot"
duration = "1ms"

[topology]
kind = "leaf-spine"
leaves = 2
spines = 1
hosts_per_leaf = 1

[[switch]]
nodes = ["leaf0"]
registers = "slingshot"
pause_limit = "50ms"

[[port]]
port = "leaf0:Ethernet0"
number = 19
xname = "X0C0R04J3P1"

[[port]]
port = "leaf1:Ethernet0"
number = 0

[[policy]]
preset = "pause-too-long"
)";

TEST(ScenarioSlingshot, SwitchesWithItsRegisters)
{
    const auto s = read_scenario(kSlingshotLeaf, "test.toml");
    ASSERT_TRUE(s.has_value());
    ASSERT_EQ(s->watches.size(), 3U);
    EXPECT_TRUE(s->watches[0].hardware.slingshot);
    EXPECT_EQ(s->watches[0].hardware.pause_limit, std::chrono::milliseconds{50});
    EXPECT_FALSE(s->watches[1].hardware.slingshot);
}

TEST(ScenarioSlingshot, NamesOfPorts)
{
    const auto s = read_scenario(kSlingshotLeaf, "test.toml");
    ASSERT_TRUE(s.has_value());
    const auto& leaf0 = s->setup.topology.nodes[2].ports;
    EXPECT_EQ(leaf0[0].name, "Ethernet0");
    EXPECT_EQ(leaf0[0].number, 19U);
    EXPECT_EQ(leaf0[0].xname, "x0c0r4j3p1");  // in its normal form
    EXPECT_FALSE(leaf0[1].number.has_value());
    EXPECT_EQ(leaf0[1].xname, "");
    EXPECT_EQ(s->setup.topology.nodes[3].ports[0].number, 0U);
}

}  // namespace
}  // namespace petrel::codec
