// aged(checkpoint, t) equals the checkpoint that a watchdog without observations saves after the time t.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::Driver;
using test::preset;

RC_GTEST_PROP(CheckpointAged, EqualsACheckpointSavedThen, ())
{
    constexpr std::uint32_t kQueues = 3;
    auto policy = preset("sonic");
    policy.restore = milliseconds{600};
    policy.latch_count = *rc::gen::element(0U, 2U);
    policy.latch_window = milliseconds{6'000};
    policy.probe = *rc::gen::element(milliseconds{0}, milliseconds{200});
    policy.action = *rc::gen::element(Treatment::drop, Treatment::none);
    Driver d{policy, kQueues};
    const auto steps = *rc::gen::inRange(1, 12);
    for (int i = 0; i < steps; ++i) {
        const auto queue = *rc::gen::inRange(0U, kQueues);
        switch (*rc::gen::inRange(0, 8)) {
        case 0: d.order(Order::Kind::mitigate, d.target(queue)); break;
        case 1: d.order(Order::Kind::release, d.target(queue)); break;
        case 2: d.order(Order::Kind::red_switch_on); break;
        case 3: d.order(Order::Kind::red_switch_off); break;
        case 4: d.calm(queue); break;
        default: d.storm(queue);
        }
        d.run_ms(*rc::gen::inRange(1, 1'500));
    }
    const auto saved = d.dog().save(d.now());
    const Duration later = microseconds{*rc::gen::inRange<std::int64_t>(0, 10'000'000'000)};
    RC_TAG(saved.rows.empty() ? "nothing to remember" : "something to remember");
    RC_ASSERT(aged(saved, later) == d.dog().save(d.now() + later));
}

TEST(CheckpointAged, TheTimeBetweenTwoProcessesCounts)
{
    auto policy = preset("sonic");
    policy.latch_count = 2;
    policy.latch_window = hours{1};
    Driver d{policy};
    d.storm();
    d.run_ms(1'000);
    const auto before = d.dog().save(d.now()).rows.at(0);
    const auto after = aged(d.dog().save(d.now()), hours{2}).rows.at(0);
    EXPECT_EQ(after.storm_age, before.storm_age + hours{2});
    EXPECT_EQ(after.stats.in_storm, before.stats.in_storm + hours{2});
    EXPECT_EQ(after.storms_ago.at(0), before.storms_ago.at(0) + hours{2}) << "too old to count for the latch";
    EXPECT_EQ(after.proven, before.proven) << "no look proved that it was quiet";
    EXPECT_EQ(after.stats.longest_pause, before.stats.longest_pause);
}

TEST(CheckpointAged, NothingGetsOlderThanCanBeStored)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(1'000);
    auto saved = d.dog().save(d.now());
    for (int i = 0; i < 5; ++i) {
        saved = aged(saved, kOldestAge);
    }
    EXPECT_EQ(saved.rows.at(0).storm_age, kOldestAge);
    EXPECT_EQ(saved.rows.at(0).stats.last_detected, Instant{kOldestAge});
    EXPECT_LE(saved.rows.at(0).stats.in_storm, kOldestAge);
}

}  // namespace
}  // namespace petrel
