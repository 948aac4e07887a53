// The errors of a setup: problems() reports all of them at once, and accepts no invalid setup.
#include <gtest/gtest.h>

#include <string>

#include "fabric.hpp"
#include "support/golden.hpp"

namespace petrel::twin::test {
namespace {

TEST(Problems, AreReportedAllAtOnce)
{
    auto set = one_switch(4);
    auto& profile = set.switch_profiles[0];
    profile.groups[kLossless].headroom_bytes = 4U << 20U;  // more than the buffer
    profile.groups[2].limit.alpha_exponent = 9;
    profile.groups[2].pool = 4;
    profile.queues[1].weight = 0;
    profile.queues[2].weight = 1'000'000;
    profile.queues[5].ecn = {.min_bytes = 2'000, .max_bytes = 1'000, .max_probability = 1};
    profile.egress_pools = {8U << 20U, 8U << 20U};
    profile.priority_of_dscp[46] = 8;
    profile.queue_of_priority[7] = 9;
    profile.group_of_priority[6] = 8;
    set.nic_profiles[0].xoff_bytes = 1U << 20U;
    set.nic_profiles[0].ack_bytes = 60;
    set.dcqcn.increase_timer = 0;
    set.topology.links[3].speed = {1'000};
    set.topology.links[2].delay = {};
    set.flows = {open_loop(0, 0), open_loop(0, 4), open_loop(0, 1)};
    set.flows[2].frame_bytes = 63;
    set.flows[2].dscp = 64;
    set.flows[2].rate = {1};
    set.flows[2].start = 2;
    set.flows[2].stop = 1;
    set.flows[2].window_packets = 8;
    const auto built = Twin::build(set);
    ASSERT_FALSE(built);
    EXPECT_EQ(built.error().kind, ErrorKind::invalid);
    petrel::test::expect_golden(petrel::test::golden("twin/problems.txt"), built.error().what + "\n");
}

// A defect of another simulator: if reserve and headroom exceed the buffer, the difference wraps around and no sender
// is ever paused.
TEST(Problems, HeadroomAndReserveHaveToLeaveSomethingToShare)
{
    auto set = one_switch(2);
    auto& group = set.switch_profiles[0].groups[kLossless];
    set.switch_profiles[0].buffer_bytes = 2 * (group.reserved_bytes + group.headroom_bytes);
    EXPECT_FALSE(Twin::build(set));
    set.switch_profiles[0].buffer_bytes += 1;
    EXPECT_TRUE(Twin::build(set));
}

// Pools share the buffer without reserve and headroom, not the whole buffer.
TEST(Problems, IngressPoolsHaveWhatReserveAndHeadroomLeave)
{
    auto set = one_switch(2);
    auto& profile = set.switch_profiles[0];
    std::uint64_t taken = 0;
    for (const auto& group : profile.groups)
        taken += 2 * (std::uint64_t{group.reserved_bytes} + group.headroom_bytes);
    profile.ingress_pools = {profile.buffer_bytes - taken + 1};
    EXPECT_FALSE(Twin::build(set));
    profile.ingress_pools[0] -= 1;
    EXPECT_TRUE(Twin::build(set));
}

TEST(Problems, AFlowSendsNoLongerFramesThanTheSwitchesPass)
{
    auto set = one_switch(2);
    set.flows = {open_loop(0, 1)};
    set.flows[0].frame_bytes = static_cast<std::uint16_t>(set.switch_profiles[0].max_frame_bytes + 1);
    EXPECT_FALSE(Twin::build(set));
    set.flows[0].frame_bytes -= 1;
    EXPECT_TRUE(Twin::build(set));
}

}  // namespace
}  // namespace petrel::twin::test
