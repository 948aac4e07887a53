// The generated fabrics are numbered, named and wired as generators.hpp states. Invalid numbers give an error message.
#include <gtest/gtest.h>

#include "fabrics.hpp"
#include "support/golden.hpp"
#include "topology/check.hpp"

namespace petrel {
namespace {

using namespace topology;
using test::k100G;
using test::k400G;

bool joined(const Topology& fabric, End a, End b)
{
    return std::any_of(fabric.links.begin(), fabric.links.end(),
                       [&](const Link& link) { return link.ends == std::array{a, b}; });
}

TEST(Generators, FatTreeOf8HasTheNodeNumbersOfTheWorkFiles)
{
    const auto fabric = fat_tree(8, k100G, k400G).value();
    ASSERT_EQ(fabric.nodes.size(), 128U + 80U);
    ASSERT_EQ(fabric.links.size(), 384U);
    const auto tor = [](std::uint32_t p, std::uint32_t t) { return NodeId{128 + 4 * p + t}; };
    const auto agg = [](std::uint32_t p, std::uint32_t a) { return NodeId{160 + 4 * p + a}; };
    const auto core = [](std::uint32_t a, std::uint32_t c) { return NodeId{192 + 4 * a + c}; };
    const auto port = [](std::uint32_t number) { return static_cast<std::uint16_t>(number); };

    for (std::uint32_t h = 0; h < 128; ++h) {
        const auto& link = fabric.links[h];
        EXPECT_EQ(link.ends[0], (End{NodeId{h}, 0}));
        EXPECT_EQ(link.ends[1], (End{tor(h / 16, h % 16 / 4), port(h % 4)}));
        EXPECT_EQ(link.speed, k100G.speed);
    }
    for (std::uint32_t p = 0; p < 8; ++p) {
        for (std::uint32_t i = 0; i < 4; ++i) {
            for (std::uint32_t j = 0; j < 4; ++j) {
                EXPECT_TRUE(joined(fabric, {tor(p, i), port(4 + j)}, {agg(p, j), port(i)}));
                EXPECT_TRUE(joined(fabric, {agg(p, i), port(4 + j)}, {core(i, j), port(p)}));
            }
        }
    }
    EXPECT_EQ(fabric.nodes[0].name, "h0");
    EXPECT_EQ(fabric.nodes[0].ports.front().name, "eth0");
    EXPECT_EQ(fabric.nodes[tor(7, 3).value].name, "tor7-3");
    EXPECT_EQ(fabric.nodes[tor(7, 3).value].tier, 1);
    EXPECT_EQ(fabric.nodes[tor(7, 3).value].ports.back().name, "Ethernet7");
    EXPECT_EQ(fabric.nodes[agg(0, 1).value].name, "agg0-1");
    EXPECT_EQ(fabric.nodes[agg(0, 1).value].tier, 2);
    EXPECT_EQ(fabric.nodes[core(3, 2).value].name, "core3-2");
    EXPECT_EQ(fabric.nodes[core(3, 2).value].tier, 3);
    EXPECT_EQ(fabric.links.back().speed, k400G.speed);
    EXPECT_EQ(fabric.links.back().delay, k400G.delay);
}

TEST(Generators, RingGoesRound)
{
    const auto fabric = ring(4, 2, k100G, k400G).value();
    ASSERT_EQ(fabric.nodes.size(), 12U);
    ASSERT_EQ(fabric.links.size(), 12U);
    EXPECT_TRUE(joined(fabric, {NodeId{5}, 0}, {NodeId{10}, 1}));
    EXPECT_TRUE(joined(fabric, {NodeId{8}, 2}, {NodeId{9}, 3}));
    EXPECT_TRUE(joined(fabric, {NodeId{11}, 2}, {NodeId{8}, 3}));
}

TEST(Generators, DumbbellHasItsMiddleLinkLast)
{
    const auto fabric = dumbbell(2, 3, k100G, k400G).value();
    ASSERT_EQ(fabric.links.size(), 6U);
    EXPECT_EQ(fabric.links[5].ends, (std::array{End{NodeId{5}, 2}, End{NodeId{6}, 3}}));
    EXPECT_EQ(fabric.links[5].speed, k400G.speed);
    EXPECT_EQ(fabric.links[2].ends[1], (End{NodeId{6}, 0}));
}

TEST(Generators, LeafSpineIsAFullMesh)
{
    const auto fabric = leaf_spine(3, 2, 4, k100G, k400G).value();
    ASSERT_EQ(fabric.links.size(), 12U + 6U);
    EXPECT_EQ(fabric.nodes[14].name, "leaf2");
    EXPECT_EQ(fabric.nodes[16].name, "spine1");
    EXPECT_TRUE(joined(fabric, {NodeId{14}, 5}, {NodeId{16}, 2}));
}

TEST(Generators, ClosHasOnePlaneOfCoresForEachSpine)
{
    const auto fabric =
        clos3({.pods = 2, .leaves_per_pod = 3, .spines_per_pod = 2, .cores = 6, .hosts_per_leaf = 1}, k100G, k400G)
            .value();
    ASSERT_EQ(fabric.nodes.size(), 6U + 6U + 4U + 6U);
    ASSERT_EQ(fabric.links.size(), 6U + 12U + 12U);
    EXPECT_EQ(fabric.nodes[11].name, "leaf1-2");
    EXPECT_EQ(fabric.nodes[15].name, "spine1-1");
    EXPECT_EQ(fabric.nodes[21].name, "core1-2");
    EXPECT_TRUE(joined(fabric, {NodeId{15}, 5}, {NodeId{21}, 1}));
}

RC_GTEST_PROP(Generators, MakeSoundFabricsWithHostsFirstAndNoPortLeftOver, ())
{
    const auto fabric = test::any_fabric();
    RC_ASSERT(problems(fabric).empty());
    std::size_t ports = 0;
    bool hosts_over = false;
    for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
        const auto& node = fabric.nodes[i];
        ports += node.ports.size();
        hosts_over = hosts_over || node.kind == Kind::fabric_switch;
        RC_ASSERT((node.kind == Kind::host) == !hosts_over);
        if (!hosts_over) {
            RC_ASSERT(fabric.links[i].ends[0] == (End{NodeId{static_cast<std::uint32_t>(i)}, 0}));
        }
    }
    RC_ASSERT(ports == 2 * fabric.links.size());
}

TEST(Generators, LargestFatTreeFits) { EXPECT_EQ(fat_tree(40, k100G, k100G).value().links.size(), 3U * 16'000U); }

TEST(Generators, ReportInvalidNumbers)
{
    constexpr LinkShape dead{BitRate{0}, {}};
    constexpr LinkShape early{BitRate{1}, Delay{-5}};
    std::string text;
    const auto refused = [&](const Result<Topology>& result) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, ErrorKind::invalid);
        text += result.error().what + "\n";
    };
    refused(single_switch(0, k100G));
    refused(single_switch(513, k100G));
    refused(single_switch(4, dead));
    refused(dumbbell(0, 1, k100G, k100G));
    refused(dumbbell(1, 512, k100G, k100G));
    refused(dumbbell(1, 1, k100G, early));
    refused(ring(2, 1, k100G, k100G));
    refused(ring(3, 511, k100G, k100G));
    refused(ring(16'384, 2, k100G, k100G));
    refused(leaf_spine(0, 1, 1, k100G, k100G));
    refused(leaf_spine(1, 4'000'000'000, 1, k100G, k100G));
    refused(leaf_spine(4, 500, 20, k100G, k100G));
    refused(leaf_spine(512, 1, 100, k100G, k100G));
    refused(
        clos3({.pods = 2, .leaves_per_pod = 2, .spines_per_pod = 0, .cores = 2, .hosts_per_leaf = 1}, k100G, k100G));
    refused(
        clos3({.pods = 2, .leaves_per_pod = 2, .spines_per_pod = 2, .cores = 3, .hosts_per_leaf = 1}, k100G, k100G));
    refused(clos3({.pods = 2, .leaves_per_pod = 2, .spines_per_pod = 2, .cores = 9'999, .hosts_per_leaf = 1}, k100G,
                  k100G));
    refused(
        clos3({.pods = 64, .leaves_per_pod = 64, .spines_per_pod = 2, .cores = 2, .hosts_per_leaf = 5}, k100G, k100G));
    refused(fat_tree(0, k100G, k100G));
    refused(fat_tree(7, k100G, k100G));
    refused(fat_tree(42, k100G, k100G));
    refused(fat_tree(4, early, k100G));
    test::expect_golden(test::golden("topology/refused_numbers.txt"), text);
}

}  // namespace
}  // namespace petrel
