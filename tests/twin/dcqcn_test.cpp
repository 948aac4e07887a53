// DCQCN's reaction point, step by step by the published rules, and its purpose: flows that share a link reach their
// fair shares without pause.
#include <gtest/gtest.h>

#include "fabric.hpp"
#include "twin/dcqcn.hpp"

namespace petrel::twin::test {
namespace {

constexpr double kLine = 100e9;

TEST(RateControl, ANotificationCutsByHalfOfAlpha)
{
    const Dcqcn set;
    RateControl rate{set, k100G};
    EXPECT_FALSE(rate.limited());
    EXPECT_TRUE(rate.notified(0));
    EXPECT_DOUBLE_EQ(rate.bps(), kLine / 2);  // alpha starts at 1
    EXPECT_FALSE(rate.notified(set.cut_interval - 1)) << "once in an interval";
    EXPECT_TRUE(rate.notified(set.cut_interval));
    EXPECT_DOUBLE_EQ(rate.bps(), kLine / 4);  // and stays there while notifications arrive
    for (Ps t = 2; t != 100; ++t)
        rate.notified(t * set.cut_interval);
    EXPECT_DOUBLE_EQ(rate.bps(), static_cast<double>(set.floor.bps));
}

TEST(RateControl, AlphaDecaysWhileNoNotificationComes)
{
    const Dcqcn set;
    RateControl rate{set, k100G};
    rate.notified(0);
    rate.notified(1);  // no cut, but the time without a notification starts here
    double alpha = 1;
    for (int i = 0; i != 300; ++i)
        alpha *= 255.0 / 256;
    rate.notified(1 + 300 * set.alpha_timer + set.alpha_timer - 1);
    EXPECT_NEAR(rate.bps(), kLine / 2 * (1 - alpha / 2), 1);
}

TEST(RateControl, ComesBackHalfwayFiveTimesThenByStepsThenByLargerOnes)
{
    const Dcqcn set;
    RateControl rate{set, k100G};
    rate.notified(0);
    double current = kLine / 2;
    double target = kLine;
    rate.notified(set.cut_interval);
    target = current;
    current = kLine / 4;
    const auto step = [&](double add) {
        target += add;
        current = (current + target) / 2;
        EXPECT_NEAR(rate.bps(), current, 1);
    };
    for (int i = 0; i != 5; ++i) {  // fast recovery
        rate.increase_timer();
        step(0);
    }
    for (int i = 0; i != 3; ++i) {  // additive: one of the two counters is past five
        rate.increase_timer();
        step(50e6);
    }
    for (int i = 0; i != 5; ++i) {
        EXPECT_FALSE(rate.sent(static_cast<std::uint32_t>(set.increase_bytes - 1)));
        EXPECT_TRUE(rate.sent(1));
        step(50e6);
    }
    rate.sent(static_cast<std::uint32_t>(set.increase_bytes));  // hyper: both counters are past five
    step(100e6);
    for (int i = 0; i != 2'000; ++i)
        rate.increase_timer();
    EXPECT_DOUBLE_EQ(rate.bps(), kLine);
    EXPECT_FALSE(rate.limited());
}

// Two hosts send to a third. Without congestion control the switch pauses them all the time.
struct Shared {
    std::uint64_t pauses;
    std::uint64_t marked;
    std::array<std::uint64_t, 2> delivered;
};
Shared two_to_one(bool controlled, Ps warm_up, Ps measure)
{
    auto set = one_switch(3);
    set.switch_profiles[0].queues[kLossless].ecn = {.min_bytes = 50'000, .max_bytes = 200'000, .max_probability = 0.1};
    set.switch_profiles[0].groups[kLossless] = lossless_group(fixed_limit(1'000'000));
    for (const std::uint32_t src : {0U, 1U}) {
        set.flows.push_back({.src = NodeId{src}, .dst = NodeId{2}});
        set.flows.back().congestion_control = controlled;
    }
    const auto twin = build(set);
    twin->run_until(warm_up);
    const std::array before{twin->flow(0).delivered, twin->flow(1).delivered};
    const auto pauses = pauses_sent(*twin, NodeId{3});
    twin->run_until(warm_up + measure);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
    return {pauses_sent(*twin, NodeId{3}) - pauses,
            twin->flow(0).marked,
            {twin->flow(0).delivered - before[0], twin->flow(1).delivered - before[1]}};
}

TEST(Dcqcn, SharesALinkWithoutPause)
{
    const Ps warm_up = 20 * kMs / kScale;
    const Ps measure = 20 * kMs / kScale;
    const auto plain = two_to_one(false, warm_up, measure);
    EXPECT_GT(plain.pauses, 0U);
    const auto controlled = two_to_one(true, warm_up, measure);
    EXPECT_EQ(controlled.pauses, 0U);
    EXPECT_GT(controlled.marked, 0U);
    const double all = static_cast<double>(measure) / (1'068 * kPsPerByte);
    const auto sum = static_cast<double>(controlled.delivered[0] + controlled.delivered[1]);
    EXPECT_GT(sum, 0.7 * all);
    for (const auto one : controlled.delivered)
        EXPECT_NEAR(static_cast<double>(one), sum / 2, 0.25 * sum);
}

}  // namespace
}  // namespace petrel::twin::test
