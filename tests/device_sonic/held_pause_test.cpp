#include "device/sonic/held_pause.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel::device::sonic {
namespace {

using namespace std::chrono_literals;
using watchdog::bit;
using watchdog::Field;
using watchdog::Fields;
using enum watchdog::PauseState;

constexpr Fields kTold = bit(Field::paused_now) | bit(Field::tx_packets) | bit(Field::rx_pfc);

watchdog::Sample sample(Duration at, bool paused, std::uint64_t tx, std::uint32_t epoch = 1)
{
    watchdog::Sample made;
    made.read_at = Instant{at};
    made.known = kTold;
    made.epoch = epoch;
    made.paused_now = paused;
    made[Field::tx_packets] = tx;
    return made;
}

// Two quiet polls, 200 ms apart.
HeldPause at_rest()
{
    HeldPause held;
    held.see(sample(200ms, false, 5), 200ms);
    held.see(sample(400ms, false, 5), 200ms);
    return held;
}

TEST(HeldPause, IsUsedOnlyWithoutBetterSignals)
{
    EXPECT_TRUE(HeldPause::fits(kTold));
    EXPECT_FALSE(HeldPause::fits(kTold | bit(Field::pause_us)));
    EXPECT_FALSE(HeldPause::fits(kTold | bit(Field::on2off)));
    EXPECT_FALSE(HeldPause::fits(kTold & ~bit(Field::tx_packets)));
    EXPECT_FALSE(HeldPause::fits(kTold & ~bit(Field::paused_now)));
}

TEST(HeldPause, PausedAtBothPollsAndAtMostOnePacketSentIsPausedThroughout)
{
    auto held = at_rest();
    EXPECT_EQ(held.see(sample(600ms, true, 5), 200ms), not_continuous);
    EXPECT_EQ(held.see(sample(800ms, true, 5), 200ms), paused);
    EXPECT_EQ(held.see(sample(800ms, true, 6), 200ms), paused) << "the same poll again, or half of the next one";
    EXPECT_EQ(held.see(sample(1000ms, true, 6), 200ms), paused) << "one packet leaked";
    EXPECT_EQ(held.see(sample(1100ms, true, 8), 200ms), not_continuous) << "two packets were sent";
    EXPECT_EQ(held.see(sample(1200ms, true, 8), 200ms), paused);
    EXPECT_EQ(held.see(sample(1400ms, false, 6), 200ms), not_paused);
    EXPECT_EQ(held.see(sample(1600ms, true, 6), 200ms), not_continuous);
}

TEST(HeldPause, AnIntervalThatIsLongerThanUsualProvesNothing)
{
    auto held = at_rest();
    held.see(sample(600ms, true, 5), 200ms);
    EXPECT_EQ(held.see(sample(890ms, true, 5), 200ms), paused) << "a poll was late";
    EXPECT_EQ(held.see(sample(1100ms, true, 5), 200ms), paused);
    EXPECT_EQ(held.see(sample(1500ms, true, 5), 200ms), not_continuous) << "a poll was skipped, or no look was made";
    EXPECT_EQ(held.see(sample(1900ms, true, 5), 200ms), paused) << "this is the poll interval now";
    EXPECT_EQ(held.see(sample(2100ms, true, 5), 200ms), paused);
}

// Each interval is up to 40 % longer or shorter than configured.
TEST(HeldPause, IntervalsThatVaryAroundTheConfiguredOneCount)
{
    HeldPause held;
    EXPECT_EQ(held.see(sample(0ms, true, 5), 200ms), not_continuous);
    auto at = 0ms;
    for (const auto interval : {120ms, 280ms, 130ms, 279ms, 200ms}) {
        at += interval;
        EXPECT_EQ(held.see(sample(at, true, 5), 200ms), paused) << at.count();
    }
}

// A syncd that needs a little more than its interval for a poll skips every other one.
TEST(HeldPause, IntervalsOfASyncdThatSkipsEveryOtherPollCount)
{
    auto held = at_rest();
    held.see(sample(600ms, true, 5), 200ms);
    EXPECT_EQ(held.see(sample(1000ms, true, 5), 200ms), not_continuous) << "the first one";
    auto at = 1000ms;
    for (const auto interval : {200ms, 400ms, 200ms, 200ms, 400ms}) {
        at += interval;
        EXPECT_EQ(held.see(sample(at, true, 5), 200ms), paused) << at.count();
    }
    for (int i = 0; i != 8; ++i) {
        held.see(sample(at += 200ms, true, 5), 200ms);
    }
    EXPECT_EQ(held.see(sample(at + 400ms, true, 5), 200ms), not_continuous) << "it has been unusual for a while";
}

TEST(HeldPause, EpochsAreNotCompared)
{
    auto held = at_rest();
    held.see(sample(600ms, true, 5), 200ms);
    EXPECT_EQ(held.see(sample(800ms, true, 5, 2), 200ms), not_continuous);
    EXPECT_EQ(held.see(sample(1000ms, true, 5, 2), 200ms), paused);
    EXPECT_EQ(held.see(sample(1000ms, true, 5, 3), 200ms), not_continuous) << "though the stamp is the same";
}

TEST(HeldPause, MissingSignalsAreUnknown)
{
    auto held = at_rest();
    held.see(sample(600ms, true, 5), 200ms);
    auto blind = sample(800ms, true, 5);
    blind.known = bit(Field::tx_packets);
    EXPECT_EQ(held.see(blind, 200ms), std::nullopt);
    EXPECT_EQ(held.see(sample(1000ms, true, 5), 200ms), not_continuous);
    auto dumb = sample(1200ms, true, 5);
    dumb.known = bit(Field::paused_now);
    EXPECT_EQ(held.see(dumb, 200ms), not_continuous);
    dumb.read_at += 200ms;
    EXPECT_EQ(held.see(dumb, 200ms), not_continuous);
    EXPECT_EQ(held.see(sample(1600ms, true, 5), 200ms), not_continuous);
    EXPECT_EQ(held.see(sample(1800ms, true, 5), 200ms), paused);
}

// For any samples: the result is paused if and only if the switch reports so. It is paused throughout only if both ends
// of the interval are paused and at most one packet was sent.
RC_GTEST_PROP(HeldPause, NeverContradictsTheEvidence, ())
{
    HeldPause held;
    auto before = sample(0ms, false, 0, 0);
    for (int polls = *rc::gen::inRange(2, 40); polls != 0; --polls) {
        auto now = sample(before.read_at.time_since_epoch() + std::chrono::milliseconds{*rc::gen::inRange(0, 900)},
                          *rc::gen::inRange(0, 5) != 0, before[Field::tx_packets], before.epoch);
        now[Field::tx_packets] += *rc::gen::element<std::uint64_t>(0, 0, 0, 1, 1000);
        now.epoch += *rc::gen::element(0U, 0U, 0U, 0U, 1U);
        if (now.read_at == before.read_at && now.epoch == before.epoch) {
            continue;
        }
        const auto state = held.see(now, 200ms);
        RC_ASSERT(state.has_value());
        RC_ASSERT((*state == not_paused) == !now.paused_now);
        if (*state == paused) {
            RC_ASSERT(before.paused_now);
            RC_ASSERT(before.epoch == now.epoch);
            RC_ASSERT(now[Field::tx_packets] - before[Field::tx_packets] <= 1U);
        }
        before = now;
    }
}

}  // namespace
}  // namespace petrel::device::sonic
