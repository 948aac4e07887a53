// How pause spreads: how long a storm takes to freeze each tier, which nodes it reaches in a Clos, and the effect of
// the thresholds.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

Ps first_pause(const Twin& twin, std::uint32_t link, std::size_t end)
{
    const auto found = frames(twin, link, end, Kind::pfc);
    return found.empty() ? kForever : found.front().at;
}

// One path, host 0 - leaf0 - spine0 - leaf1 - host 1. Each switch has 1 MB for frames from the node before it.
TEST(Spread, ATierFreezesIn80UsPerMegabyteAt100G)
{
    constexpr std::uint32_t kMegabyte = 1'000'000;
    auto set = setup(topology::leaf_spine(2, 1, 1, kLink, kLink).value());
    set.switch_profiles[0].groups[kLossless] = lossless_group(fixed_limit(kMegabyte));
    set.switch_profiles[0].groups[kLossless].reserved_bytes = 0;
    set.overhead_bytes = 0;
    set.flows = {open_loop(0, 1)};
    set.flows[0].frame_bytes = 1'000;
    const auto twin = build(set);
    for (std::uint32_t link = 0; link != 4; ++link)
        twin->capture(link, 1'000'000);
    const Ps begin = 20 * kUs;
    storm(*twin, 1, holding(), begin);
    twin->run_until(500 * kUs);

    // Links: host 0 - leaf0, host 1 - leaf1, leaf0 - spine0, leaf1 - spine0; pause spreads against the direction of the
    // frames.
    const Ps fill = kMegabyte * kPsPerByte;
    const Ps slack = 4 * kUs;  // cables, and the frames on them
    const Ps storm_at = first_pause(*twin, 1, 1);
    EXPECT_EQ(storm_at, begin + 64 * kPsPerByte + kUs);
    const Ps at_spine = first_pause(*twin, 3, 1);
    const Ps at_leaf0 = first_pause(*twin, 2, 0);
    const Ps at_host0 = first_pause(*twin, 0, 0);
    EXPECT_NEAR(static_cast<double>(at_spine - storm_at), static_cast<double>(fill), static_cast<double>(slack));
    EXPECT_NEAR(static_cast<double>(at_leaf0 - at_spine), static_cast<double>(fill), static_cast<double>(slack));
    EXPECT_NEAR(static_cast<double>(at_host0 - at_leaf0), static_cast<double>(fill), static_cast<double>(slack));
    EXPECT_EQ(twin->totals().drops.total(), 0U);
}

// SIGCOMM 2016, figure 5: one NIC that pauses without end also stops servers that never send to it.
TEST(Spread, OneNicStopsItsTorThenLeavesSpinesAndAllServers)
{
    auto set = setup(topology::fat_tree(4, kLink, kLink).value());  // 16 hosts; tor 16.., agg 24.., core 32..
    set.switch_profiles[0].buffer_bytes = 3U << 20U;
    for (std::uint32_t host = 1; host != 16; ++host) {
        set.flows.push_back(open_loop(host, 0));              // all hosts send to host 0
        set.flows.push_back(open_loop(host, host % 15 + 1));  // and to another host
    }
    for (std::uint32_t link = 0; link != set.topology.links.size(); ++link)
        ASSERT_EQ(set.topology.links[link].speed, k100G);
    const auto twin = build(set);
    std::uint32_t links = static_cast<std::uint32_t>(set.topology.links.size());
    for (std::uint32_t link = 0; link != links; ++link)
        twin->capture(link, 1'000'000);
    storm(*twin, 0, holding(), 0);
    twin->run_until(6 * kMs / (kScale == 1 ? 1 : 2));

    // When a node of the first tier was first paused by a node of the second.
    const auto first = [&](std::uint8_t paused_tier, std::uint8_t by_tier) {
        Ps earliest = kForever;
        for (std::uint32_t link = 0; link != links; ++link)
            for (std::size_t end = 0; end != 2; ++end) {
                const auto& ends = set.topology.links[link].ends;
                const auto tier = [&](std::size_t e) { return set.topology.nodes[ends[e].node.value].tier; };
                if (tier(end) == paused_tier && tier(1 - end) == by_tier)
                    earliest = std::min(earliest, first_pause(*twin, link, end));
            }
        return earliest;
    };
    EXPECT_LT(first(1, 0), 2 * kUs);  // NIC -> ToR
    EXPECT_LT(first(1, 0), first(2, 1));
    EXPECT_LT(first(2, 1), first(3, 2));  // ToR -> leaf -> spine
    EXPECT_LT(first(3, 2), first(2, 3));  // and down again
    EXPECT_LT(first(2, 3), kForever);

    const auto delivered = [&] {
        std::vector<std::uint64_t> counts;
        for (std::uint32_t flow = 0; flow != set.flows.size(); ++flow)
            counts.push_back(twin->flow(flow).delivered);
        return counts;
    };
    const auto before = delivered();
    twin->run_until(twin->now() + 1 * kMs);
    EXPECT_EQ(delivered(), before) << "no host receives anything, not even those that do not send to host 0";
    EXPECT_GT(std::count_if(before.begin(), before.end(), [](auto n) { return n != 0; }), 10);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
}

std::uint64_t pauses_with_alpha(std::int8_t exponent)
{
    auto set = one_switch(9);
    set.switch_profiles[0].groups[kLossless].limit.alpha_exponent = exponent;
    for (std::uint32_t burst = 0; burst != 20; ++burst)
        for (std::uint32_t host = 1; host != 9; ++host) {
            set.flows.push_back(open_loop(host, 0, 300));
            set.flows.back().start = burst * 220 * kUs;
        }
    const auto twin = build(set);
    twin->run_until(5 * kMs);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
    return pauses_sent(*twin, NodeId{9});
}

TEST(Spread, ASmallerAlphaPausesMore)
{
    EXPECT_GT(pauses_with_alpha(-6), 100U);  // 1/64
    EXPECT_EQ(pauses_with_alpha(-4), 0U);    // 1/16
}

}  // namespace
}  // namespace petrel::twin::test
