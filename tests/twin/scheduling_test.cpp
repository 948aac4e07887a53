// The path through one switch: which queue sends next, where a frame goes, which frames are marked and which are
// dropped.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

// Hosts 0, 1 and 2 send to host 3, each in its own class and at line rate: all queues are always full.
Setup three_classes(std::array<std::uint8_t, 3> classes, std::array<std::uint16_t, 3> frame_bytes)
{
    auto set = one_switch(4);
    for (std::uint32_t i = 0; i != 3; ++i) {
        set.switch_profiles[0].groups[classes[i]] = lossless_group();
        Flow flow = open_loop(i, 3);
        flow.dscp = classes[i];
        flow.frame_bytes = frame_bytes[i];
        set.flows.push_back(flow);
    }
    return set;
}

std::uint64_t sent(Twin& twin, std::uint8_t queue)
{
    return twin.switch_view(NodeId{4}).queue(3, queue, twin.now()).tx_bytes;
}

RC_GTEST_PROP(Scheduling, WeightsShareTheLineByBytes, ())
{
    const std::array<std::uint8_t, 3> classes{1, 2, 4};
    const std::array<std::uint32_t, 3> weights{1, *rc::gen::inRange(1U, 5U), *rc::gen::inRange(1U, 9U)};
    const auto any_size = rc::gen::inRange<std::uint16_t>(64, 9'217);
    const std::array<std::uint16_t, 3> sizes{*any_size, *any_size, *any_size};
    auto set = three_classes(classes, sizes);
    for (std::size_t i = 0; i != 3; ++i)
        set.switch_profiles[0].queues[classes[i]].weight = weights[i];
    const auto twin = build(set);
    twin->run_until(200 * kUs);
    std::array<std::uint64_t, 3> before{};
    for (std::size_t i = 0; i != 3; ++i)
        before[i] = sent(*twin, classes[i]);
    twin->run_until(700 * kUs);
    for (std::size_t i = 0; i != 3; ++i) {
        const auto share = [&](std::size_t q) {
            return static_cast<double>(sent(*twin, classes[q]) - before[q]) / weights[q];
        };
        // Deficit round robin is fair within one quantum and one frame of each queue.
        const double unfair = 2'048 + sizes[0] + static_cast<double>(sizes[i]) / weights[i];
        RC_ASSERT(std::abs(share(i) - share(0)) <= unfair);
    }
    RC_ASSERT(twin->totals().drops.total() == 0U);
}

TEST(Scheduling, Weights124)
{
    auto set = three_classes({1, 2, 4}, {1000, 1000, 1000});
    set.switch_profiles[0].queues[2].weight = 2;
    set.switch_profiles[0].queues[4].weight = 4;
    const auto twin = build(set);
    twin->run_until(2 * kMs);
    const double unit = static_cast<double>(sent(*twin, 1));
    EXPECT_NEAR(static_cast<double>(sent(*twin, 2)), 2 * unit, 2 * 2'048 + 2'000);
    EXPECT_NEAR(static_cast<double>(sent(*twin, 4)), 4 * unit, 4 * 2'048 + 4'000);
    EXPECT_GT(unit, 2e-3 * 100e9 / 8 / 7 * 0.97);  // and together the whole line rate, without preamble and gap
}

TEST(Scheduling, StrictQueuesComeFirstTheHighestOfThem)
{
    auto set = three_classes({1, 5, 6}, {1000, 1000, 1000});
    set.switch_profiles[0].queues[5].strict = true;
    set.switch_profiles[0].queues[6].strict = true;
    set.flows[2].stop = 300 * kUs;
    set.flows[1].stop = 600 * kUs;
    const auto twin = build(set);
    twin->run_until(50 * kUs);
    const auto low = sent(*twin, 1);
    const auto middle = sent(*twin, 5);
    twin->run_until(290 * kUs);
    EXPECT_EQ(sent(*twin, 1), low);
    EXPECT_EQ(sent(*twin, 5), middle);
    twin->run_until(590 * kUs);
    EXPECT_EQ(sent(*twin, 1), low);
    EXPECT_GT(sent(*twin, 5), middle);
    twin->run_until(900 * kUs);
    EXPECT_GT(sent(*twin, 1), low);
}

// ---------------------------------------------------------------------------------------------------- maps

TEST(Maps, DscpToPriorityToGroupAndQueue)
{
    auto set = one_switch(3);
    auto& profile = set.switch_profiles[0];
    profile.groups[kLossless] = lossy_group();
    profile.groups[5] = lossless_group();
    profile.priority_of_dscp[26] = 3;
    profile.group_of_priority[3] = 5;
    profile.group_of_priority[5] = 0;
    profile.queue_of_priority[3] = 6;
    for (std::uint32_t src : {0U, 1U}) {
        Flow flow = open_loop(src, 2, 4'000);
        flow.dscp = 26;  // a NIC maps it to class selector 3
        set.flows.push_back(flow);
    }
    const auto twin = build(set);
    twin->run_until(100 * kUs);
    auto view = twin->switch_view(NodeId{3});
    EXPECT_GT(view.queue(2, 6, twin->now()).bytes, 0U);
    EXPECT_GT(view.group(0, 5).bytes, 0U);
    EXPECT_EQ(view.group(0, 3).rx_packets, 0U);
    EXPECT_EQ(view.queue(2, 3, twin->now()).tx_packets, 0U);

    storm(*twin, 2, {.priorities = 1U << 3U, .period = 40 * kUs, .stop = 2 * kMs}, 200 * kUs);
    twin->run_until(1 * kMs);
    EXPECT_TRUE(view.queue(2, 6, twin->now()).paused) << "a pause of priority 3 stops queue 6";
    EXPECT_FALSE(view.queue(2, 3, twin->now()).paused);
    const auto tx = view.queue(2, 6, twin->now()).tx_packets;
    EXPECT_TRUE(view.group(0, 5).xoff);
    EXPECT_TRUE(twin->nic_view(NodeId{0}).read(3, twin->now()).paused) << "group 5 pauses priority 3";
    EXPECT_FALSE(twin->nic_view(NodeId{0}).read(5, twin->now()).paused);
    twin->run_until(2 * kMs);
    EXPECT_EQ(view.queue(2, 6, twin->now()).tx_packets, tx);
    twin->run_until(5 * kMs);
    EXPECT_EQ(view.queue(2, 6, twin->now()).tx_packets, 8'000U);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
}

// ---------------------------------------------------------------------------------------------------- marking, limits

// Host 0 sends frames of 1,000 bytes to host 1, which has paused its switch: frame i finds i frames waiting.
struct Standing {
    std::unique_ptr<Twin> twin;
    QueueReading queue;
};
Standing standing_queue(Setup set, std::uint64_t packets)
{
    Flow flow = open_loop(0, 1, packets);
    flow.frame_bytes = 1'000;
    flow.start = 10 * kUs;
    set.flows.push_back(flow);
    auto twin = build(std::move(set));
    storm(*twin, 1, holding(), 0);
    twin->run_until(10 * kUs + packets * 100 * kNs + 10 * kUs);
    const auto queue = twin->switch_view(NodeId{2}).queue(1, kLossless, twin->now());
    return {std::move(twin), queue};
}

TEST(Marking, ProbabilityRisesBetweenTheThresholds)
{
    auto set = one_switch(2);
    set.switch_profiles[0].queues[kLossless].ecn = {
        .min_bytes = 100'000, .max_bytes = 1'100'000, .max_probability = 0.4};
    EXPECT_EQ(standing_queue(set, 101).queue.marked, 0U);
    // Half of the range, probabilities from 0 to 0.2: 50 marks, five standard deviations are 33.
    const auto half = static_cast<double>(standing_queue(set, 601).queue.marked);
    EXPECT_NEAR(half, 50, 33);
    // The whole range, from 0 to 0.4: 200 marks, five standard deviations are 61.
    const auto whole = standing_queue(set, 1'100).queue.marked;
    EXPECT_NEAR(static_cast<double>(whole), 200, 61);
    EXPECT_EQ(standing_queue(set, 1'200).queue.marked, whole + 100) << "above the second, everything";
}

TEST(Limits, AnEgressQueueHasAFixedLimit)
{
    auto set = one_switch(2);
    set.switch_profiles[0].queues[kLossless].limit = fixed_limit(50'999);
    const auto full = standing_queue(set, 80);
    EXPECT_EQ(full.queue.bytes, 50'000U);
    EXPECT_EQ(full.queue.tx_drops, 30U);
    EXPECT_EQ(full.twin->totals().drops[Drop::egress_full], 30U);
    EXPECT_EQ(full.twin->switch_view(NodeId{2}).group(0, kLossless).bytes, 50'000U) << "a refused frame is not charged";
}

// alpha = 1 and two queues in one pool: each gets a third.
TEST(Limits, EgressQueuesShareAPool)
{
    auto set = one_switch(4);
    auto& profile = set.switch_profiles[0];
    profile.egress_pools = {1'000'000, 300'000};
    profile.queues[kLossless].limit = {Limit::Mode::dynamic, 0, 0};
    profile.queues[kLossless].pool = 1;
    for (std::uint32_t i : {0U, 1U}) {
        Flow flow = open_loop(i, i + 2, 300);
        flow.frame_bytes = 1'000;
        flow.start = 10 * kUs;
        set.flows.push_back(flow);
    }
    const auto twin = build(set);
    storm(*twin, 2, holding(), 0);
    storm(*twin, 3, {.priorities = kLosslessBit, .period = 40 * kUs, .stop = 100 * kUs}, 0);
    twin->run_until(90 * kUs);
    auto view = twin->switch_view(NodeId{4});
    EXPECT_EQ(view.queue(2, kLossless, twin->now()).bytes, 100'000U);
    EXPECT_EQ(view.queue(3, kLossless, twin->now()).bytes, 100'000U);
    EXPECT_EQ(twin->totals().drops[Drop::egress_full], 400U);
    twin->run_until(1 * kMs);  // the pause of host 3 has expired, and the bytes that left its queue are free again
    EXPECT_EQ(view.queue(3, kLossless, twin->now()).bytes, 0U);
    EXPECT_EQ(twin->flow(1).delivered, 100U);
}

TEST(Limits, ALossyGroupHasAStaticLimitAndSendsNoPause)
{
    auto set = one_switch(3);
    set.switch_profiles[0].groups[kLossless] = lossy_group(fixed_limit(32'000));
    for (std::uint32_t i : {0U, 1U}) {
        set.flows.push_back(open_loop(i, 2, 1'000));
        set.flows.back().frame_bytes = 1'000;
    }
    const auto twin = build(set);
    twin->run_until(1 * kMs);
    const auto view = twin->switch_view(NodeId{3});
    EXPECT_EQ(view.group(0, kLossless).peak_bytes, 32'000U);
    EXPECT_EQ(view.group(1, kLossless).peak_bytes, 32'000U);
    EXPECT_EQ(pauses_sent(*twin, NodeId{3}), 0U);
    const auto lost = twin->totals().drops[Drop::ingress_full];
    EXPECT_EQ(lost, view.group(0, kLossless).rx_drops + view.group(1, kLossless).rx_drops);
    EXPECT_NEAR(static_cast<double>(lost), 1'000 - 64, 2) << "half of it, less what waited";
}

// alpha = 4: the first stuck group uses four fifths of the pool, the second four fifths of the rest. When the first has
// drained, the second may use more, and its sender gets an XON although none of its frames has left.
TEST(Limits, AGroupResumesWhenOthersHaveLeftThePool)
{
    auto set = one_switch(4);
    set.switch_profiles[0].buffer_bytes = 2U << 20U;
    set.switch_profiles[0].groups[kLossless] = lossless_group({Limit::Mode::dynamic, 8, 0});
    set.flows = {open_loop(0, 2), open_loop(1, 3)};
    set.flows[0].start = 500 * kUs;
    set.flows[0].rate = {3'000'000'000};  // so slow that no frame needs headroom
    set.flows[1].stop = 2 * kMs;
    const auto twin = build(set);
    storm(*twin, 2, holding(), 0);
    storm(*twin, 3, {.priorities = kLosslessBit, .period = 40 * kUs, .stop = 2 * kMs}, 0);
    twin->run_until(2 * kMs);
    const auto view = twin->switch_view(NodeId{4});
    const auto pool = static_cast<double>(view.pool_size(0));
    EXPECT_LT(view.group(0, kLossless).bytes, 20'000U);
    EXPECT_TRUE(view.group(0, kLossless).xoff);
    EXPECT_EQ(view.group(0, kLossless).headroom_bytes, 0U);
    twin->run_until(9 * kMs);
    EXPECT_GT(view.group(0, kLossless).bytes, pool * 0.9);
    EXPECT_EQ(view.queue(2, kLossless, twin->now()).tx_packets, 0U);
}

// Each group may use 20 frames of headroom, but the shared pool has room for 25.
TEST(Limits, HeadroomMayBeOnePool)
{
    auto set = one_switch(4);
    auto& profile = set.switch_profiles[0];
    profile.groups[kLossless] = lossless_group(fixed_limit(10'000), 20'000);
    profile.groups[kLossless].reserved_bytes = 0;
    profile.shared_headroom_bytes = 25'000;
    for (std::uint32_t i : {0U, 1U}) {
        Flow flow = open_loop(i, i + 2, 60);
        flow.frame_bytes = 1'000;
        flow.start = 10 * kUs;
        set.flows.push_back(flow);
    }
    set.nic_profiles[0].pause.response = 10 * kUs;  // far too slow
    const auto twin = build(set);
    storm(*twin, 2, holding(), 0);
    storm(*twin, 3, holding(), 0);
    twin->run_until(100 * kUs);
    auto view = twin->switch_view(NodeId{4});
    EXPECT_EQ(view.group(0, kLossless).headroom_bytes + view.group(1, kLossless).headroom_bytes, 25'000U);
    EXPECT_EQ(view.headroom_used(), 25'000U);
    EXPECT_EQ(twin->totals().drops[Drop::headroom], 120U - 20U - 25U);
}

}  // namespace
}  // namespace petrel::twin::test
