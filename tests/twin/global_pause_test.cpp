// 802.3x: one pause for the whole port. A port uses either this or PFC, and ignores the other.
#include <gtest/gtest.h>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

// Host 0 sends to host 1 in a lossless and in a lossy class, each at 30 Gb/s.
twin::Setup two_classes(bool switch_global, bool nic_global)
{
    auto set = one_switch(2);
    set.switch_profiles[0].pause.global = switch_global;
    set.nic_profiles[0].pause.global = nic_global;
    for (const std::uint8_t dscp : {std::uint8_t{0}, kLossless}) {
        set.flows.push_back(open_loop(0, 1));
        set.flows.back().dscp = dscp;
        set.flows.back().rate = {30'000'000'000};
    }
    return set;
}

std::array<bool, 2> stopped_by_a_storm(bool switch_global, bool nic_global)
{
    const auto twin = build(two_classes(switch_global, nic_global));
    storm(*twin, 1, holding(), 50 * kUs);
    twin->run_until(60 * kUs);
    const std::array before{twin->flow(0).delivered, twin->flow(1).delivered};
    twin->run_until(100 * kUs);
    return {twin->flow(0).delivered == before[0], twin->flow(1).delivered == before[1]};
}

TEST(GlobalPause, StopsEveryClassWherePfcStopsOne)
{
    EXPECT_EQ(stopped_by_a_storm(false, false), (std::array{false, true}));
    EXPECT_EQ(stopped_by_a_storm(true, true), (std::array{true, true}));
    EXPECT_EQ(stopped_by_a_storm(false, true), (std::array{false, false})) << "a port with PFC ignores 802.3x pause";
    EXPECT_EQ(stopped_by_a_storm(true, false), (std::array{false, false}));
}

TEST(GlobalPause, ASwitchRefreshesItAndEndsIt)
{
    auto set = two_classes(true, true);
    const auto twin = build(set);
    twin->capture(0, 1'000'000);
    storm(*twin, 1, {.priorities = kLosslessBit, .period = 40 * kUs, .stop = 4 * kMs}, 50 * kUs);
    twin->run_until(2 * kMs);
    EXPECT_TRUE(twin->nic_view(NodeId{0}).read(0, twin->now()).paused)
        << "one group is full, and the pause stops all classes";
    const auto sent = twin->flow(0).sent + twin->flow(1).sent;
    twin->run_until(4 * kMs);
    EXPECT_EQ(twin->flow(0).sent + twin->flow(1).sent, sent);
    EXPECT_GT(frames(*twin, 0, 0, Kind::global_pause).size(), 8U);
    EXPECT_TRUE(frames(*twin, 0, 0, Kind::pfc).empty());
    twin->run_until(6 * kMs);
    EXPECT_GT(twin->flow(0).sent + twin->flow(1).sent, sent);
    EXPECT_EQ(twin->totals().drops[Drop::headroom], 0U);
}

// A NIC whose pipeline is stopped uses 802.3x as well.
TEST(GlobalPause, OfANicPreventsABufferOverflow)
{
    const auto twin = build(two_classes(true, true));
    twin->at(NodeId{1}, 0, [&](Ps now) { twin->nic_view(NodeId{1}).stop_pipeline(now); });
    twin->run_until(2 * kMs);
    EXPECT_EQ(twin->totals().drops[Drop::nic_buffer], 0U);
    EXPECT_GT(twin->nic_view(NodeId{1}).buffered_bytes(), 256U << 10U);
}

}  // namespace
}  // namespace petrel::twin::test
