// Published cases of cycles of waiting switches: some lock forever, some do not. To prove a deadlock, the test ends the
// traffic: frames that have not drained long after are deadlocked.
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

// Every switch forwards frames that are not for its own hosts to its successor, with no other route.
void clockwise(Twin& twin, std::uint32_t hosts_each)
{
    const auto& nodes = twin.setup().topology.nodes;
    const auto hosts = static_cast<std::uint32_t>(nodes.size() / (hosts_each + 1) * hosts_each);
    const std::array<std::uint16_t, 1> successor{static_cast<std::uint16_t>(hosts_each)};
    for (std::uint32_t node = hosts; node != nodes.size(); ++node)
        for (std::uint32_t host = 0; host != hosts; ++host)
            if (host / hosts_each != node - hosts)
                twin.switch_view(NodeId{node}).set_route(host, successor);
}

std::uint64_t delivered(const Twin& twin)
{
    std::uint64_t sum = 0;
    for (std::uint32_t flow = 0; flow != twin.setup().flows.size(); ++flow)
        sum += twin.flow(flow).delivered;
    return sum;
}

// ---------------------------------------------------------------------------------------------------- ring

// Four switches with two hosts each; four flows of 200 MB go half way around, each blocked by the next.
twin::Setup ring_of_four(std::uint32_t buffer_kib, Ps stop)
{
    constexpr LinkShape kLong{k100G, std::chrono::microseconds{5}};
    auto set = setup(topology::ring(4, 2, kLong, kLong).value());
    set.overhead_bytes = 0;
    set.switch_profiles[0].buffer_bytes = std::uint64_t{buffer_kib} << 10U;
    set.switch_profiles[0].groups[kLossless] = lossless_group({}, 187'500);
    for (std::uint32_t at = 0; at != 4; ++at) {
        Flow flow{.src = NodeId{2 * at}, .dst = NodeId{2 * ((at + 2) % 4) + 1}, .packets = 200'000'000 / 1'400};
        flow.frame_bytes = 1'448;
        flow.stop = stop;
        set.flows.push_back(flow);
    }
    return set;
}

class RingDeadlock : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RingDeadlock, LocksForeverWithoutCongestionControl)
{
    const auto twin = build(ring_of_four(GetParam(), 20 * kMs));
    clockwise(*twin, 2);
    twin->run_until(20 * kMs);
    const auto before = delivered(*twin);
    twin->run_until(1 * kSecond);
    EXPECT_EQ(delivered(*twin), before);
    EXPECT_GT(twin->totals().in_flight, 100U);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
    for (std::uint32_t node = 8; node != 12; ++node)
        EXPECT_TRUE(twin->switch_view(NodeId{node}).queue(2, kLossless, twin->now()).paused) << node;
}

INSTANTIATE_TEST_SUITE_P(Buffers, RingDeadlock, testing::Values(4'000, 12'288));

TEST(RingOfFour, DoesNotLockWithCongestionControlAndAWindow)
{
    auto set = ring_of_four(4'000, kForever);
    for (auto& flow : set.flows) {
        flow.packets /= kScale;
        flow.congestion_control = true;
        flow.window_packets = 350;  // as much as the longest path holds
    }
    set.switch_profiles[0].queues[kLossless].ecn = {.min_bytes = 50'000, .max_bytes = 200'000, .max_probability = 0.2};
    const auto twin = build(set);
    clockwise(*twin, 2);
    twin->run_until_flows_finish(400 * kMs);
    for (std::uint32_t flow = 0; flow != 4; ++flow)
        EXPECT_TRUE(twin->flow(flow).finished) << flow;
    EXPECT_EQ(twin->totals().drops.total(), 0U);
}

// ---------------------------------------------------------------------------------------------------- routing loop

// A loop of n switches, and a flow whose destination is on none of them. Each frame passes a link of the loop TTL / n
// times, rounded up, so at most n x B / TTL can enter. Returns whether frames are left long after the flow has ended.
bool loop_locks(std::uint32_t switches, double of_the_most)
{
    auto set = setup(topology::ring(switches, 1, kLink, kLink).value());
    set.switch_profiles[0].groups[kLossless] = lossless_group(fixed_limit(100'000));
    constexpr std::uint32_t kLinks = 63;  // links of the loop that a frame passes: the last switch drops it
    const double passes = (kLinks + switches - 1) / switches;
    Flow flow = open_loop(0, switches - 1);
    flow.rate = {static_cast<std::uint64_t>(of_the_most * 100e9 / passes)};
    flow.stop = 40 * kMs / (kScale == 1 ? 1 : 2);
    set.flows.push_back(flow);
    const auto twin = build(set);
    clockwise(*twin, 1);
    const std::array<std::uint16_t, 1> successor{1};
    twin->switch_view(NodeId{2 * switches - 1}).set_route(switches - 1, successor);
    twin->run_until(flow.stop + 10 * kMs);
    const Totals totals = twin->totals();
    EXPECT_EQ(totals.drops.total(), totals.drops[Drop::ttl]);
    return totals.in_flight != 0;
}

TEST(RoutingLoop, LocksAboveNTimesBandwidthOverTimeToLive)
{
    for (const std::uint32_t switches : {3U, 4U, 6U}) {
        EXPECT_FALSE(loop_locks(switches, 0.97)) << switches;
        EXPECT_TRUE(loop_locks(switches, 1.05)) << switches;
    }
}

// ---------------------------------------------------------------------------------------------------- square

// HotNets 2016: flows 1 (A-B-C-D) and 2 (C-D-A-B) wait for each other around the square, but do not lock it. A third
// flow on the link B-C locks it, unless it is slow.
bool square_locks(bool third, BitRate rate = {})
{
    auto set = setup(topology::ring(4, 2, kLink, kLink).value());
    set.switch_profiles[0].groups[kLossless] = lossless_group(fixed_limit(40'000));
    set.flows = {open_loop(0, 6), open_loop(4, 2)};  // hosts 0, 1 on A, 2, 3 on B, ...
    if (third) {
        set.flows.push_back(open_loop(3, 5));
        set.flows.back().rate = rate;
    }
    for (auto& flow : set.flows)
        flow.stop = 40 * kMs / (kScale == 1 ? 1 : 2);
    const auto twin = build(set);
    clockwise(*twin, 2);
    twin->run_until(set.flows[0].stop + 10 * kMs);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
    return twin->totals().in_flight != 0;
}

TEST(Square, TwoFlowsInACycleDoNotLockAndAThirdDoesUnlessItIsSlow)
{
    EXPECT_FALSE(square_locks(false));
    EXPECT_TRUE(square_locks(true));
    EXPECT_FALSE(square_locks(true, {2'000'000'000}));
}

// ---------------------------------------------------------------------------------------------------- flooding

// SIGCOMM 2016: a Clos has no cycle until ToRs flood frames to servers whose MAC addresses they do not have any more.
// Hosts 0 to 2 are on T0, 3 to 5 on T1; frames go from T0 to T1 through La and back through Lb.
bool clos_locks(bool floods)
{
    auto set = setup(topology::leaf_spine(2, 2, 3, kLink, kLink).value());
    set.switch_profiles[0].groups[kLossless] = lossless_group(fixed_limit(100'000));
    const std::uint32_t t0 = 6;
    const std::uint32_t t1 = 7;
    const std::uint32_t la = 8;
    const std::uint32_t lb = 9;
    set.switch_profiles.push_back(set.switch_profiles[0]);
    set.switch_profiles[0].flood_unknown = floods;
    set.profile_of = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    set.flows = {open_loop(0, 3), open_loop(4, 1), open_loop(2, 5)};
    for (auto& flow : set.flows)
        flow.stop = 5 * kMs;
    const auto twin = build(set);
    const auto route = [&](std::uint32_t at, std::uint32_t host, std::vector<std::uint16_t> ports) {
        twin->switch_view(NodeId{at}).set_route(host, ports);
    };
    for (std::uint32_t host = 0; host != 3; ++host) {
        route(t0, host + 3, {3});
        route(t1, host, {4});
    }
    route(t1, 3, {});  // address unknown
    route(t0, 1, {});
    route(lb, 3, {});  // routers: they drop flooded frames
    route(la, 1, {});
    twin->run_until(set.flows[0].stop + 20 * kMs);
    const Totals totals = twin->totals();
    EXPECT_EQ(totals.drops.total(), totals.drops[Drop::no_route]);
    EXPECT_GT(totals.drops.total(), 0U);
    return totals.in_flight != 0;
}

TEST(Clos, LocksIfSwitchesFloodUnknownAddressesButNotIfTheyDrop)
{
    EXPECT_TRUE(clos_locks(true));
    EXPECT_FALSE(clos_locks(false));
}

}  // namespace
}  // namespace petrel::twin::test
