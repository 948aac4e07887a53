#include "device/sonic/steady_pause.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace petrel::device::sonic {
namespace {

using namespace std::chrono_literals;
using watchdog::bit;
using watchdog::Field;
using watchdog::Sample;

constexpr std::int64_t kPollUs = 200'000;

Sample poll(std::int64_t at_us, std::int64_t pause_us, bool proven = true)
{
    Sample sample;
    sample.read_at = Instant{std::chrono::microseconds{at_us}};
    sample.epoch = 1;
    sample.known = bit(Field::pause_us) | (proven ? bit(Field::paused_now) | bit(Field::on2off) : 0);
    sample.paused_now = true;
    sample[Field::pause_us] = static_cast<std::uint64_t>(pause_us);
    return sample;
}

// Counters are read when they are, stamps are up to a fortieth of an interval off: half of what is lent.
RC_GTEST_PROP(SteadyPause, StampsThatAreOffDoNotBreakAPauseThatGoesOn, ())
{
    SteadyPause steady;
    const auto off = [] { return *rc::gen::inRange<std::int64_t>(-kPollUs / 50, kPollUs / 50); };
    std::uint64_t told = 0;
    std::int64_t stamp = 0;
    for (int i = 1; i != 30; ++i) {
        const auto at = i * kPollUs + off();
        const auto now = steady.see(poll(at, i * kPollUs));
        if (i > 1) {
            RC_ASSERT(now - told == static_cast<std::uint64_t>(at - stamp));
        }
        told = now;
        stamp = at;
    }
}

// Over any number of polls no more is told than was counted and a tenth of one interval.
RC_GTEST_PROP(SteadyPause, WhatWasNotPausedIsNotTold, ())
{
    SteadyPause steady;
    const bool is_proven = *rc::gen::arbitrary<bool>();
    const auto first = steady.see(poll(0, 0, is_proven));
    std::int64_t counted = 0;
    for (int i = 1; i != 40; ++i) {
        counted += *rc::gen::inRange<std::int64_t>(kPollUs * 7 / 10, kPollUs + 1);
        const auto told = static_cast<std::int64_t>(steady.see(poll(i * kPollUs, counted, is_proven)) - first);
        RC_ASSERT(told >= counted);
        RC_ASSERT(told - counted <= i * kPollUs / 10);
    }
}

TEST(SteadyPause, AGapInEachPollIsLentOnceAndThenSeen)
{
    SteadyPause steady;
    steady.see(poll(0, 0));
    EXPECT_EQ(steady.see(poll(200'000, 188'000)), 200'000U);
    EXPECT_EQ(steady.see(poll(400'000, 376'000)), 388'000U) << "24 ms are more than a tenth of an interval";
}

TEST(SteadyPause, WithoutProofHardlyAnythingIsLent)
{
    SteadyPause steady;
    steady.see(poll(0, 0, false));
    EXPECT_EQ(steady.see(poll(200'000, 196'500, false)), 200'000U);
    EXPECT_EQ(steady.see(poll(400'000, 391'000, false)), 394'500U);
}

TEST(SteadyPause, APauseThatEndedIsToldAsItWas)
{
    SteadyPause steady;
    steady.see(poll(0, 0));
    auto ended = poll(200'000, 190'000);
    ended.paused_now = false;
    EXPECT_EQ(steady.see(ended), 190'000U);
    auto broken = poll(200'000, 190'000);
    broken[Field::on2off] = 1;
    SteadyPause other;
    other.see(poll(0, 0));
    EXPECT_EQ(other.see(broken), 190'000U);
}

TEST(SteadyPause, AQueueThatSendsIsNotPausedThroughout)
{
    const auto told = [](std::uint64_t packets, std::int64_t pause_us) {
        SteadyPause steady;
        auto before = poll(0, 0);
        auto now = poll(200'000, pause_us);
        before.known |= bit(Field::tx_packets);
        now.known |= bit(Field::tx_packets);
        now[Field::tx_packets] = packets;
        steady.see(before);
        return steady.see(now);
    };
    EXPECT_EQ(told(0, 199'000), 200'000U);
    EXPECT_EQ(told(1, 199'000), 200'000U) << "it was under way";
    EXPECT_EQ(told(2, 199'000), 196'000U);
    EXPECT_EQ(told(1020, 200'000), 196'000U);
    EXPECT_EQ(told(1020, 100'000), 100'000U);
}

TEST(SteadyPause, APollSeenTwiceSaysTheSame)
{
    SteadyPause steady;
    steady.see(poll(0, 0));
    EXPECT_EQ(steady.see(poll(200'000, 190'000)), 200'000U);
    EXPECT_EQ(steady.see(poll(200'000, 190'000)), 200'000U);
    EXPECT_EQ(steady.see(poll(400'000, 400'000)), 400'000U) << "what was lent has come";
}

TEST(SteadyPause, CountersThatBeganAnewAreToldAsTheyAre)
{
    SteadyPause steady;
    steady.see(poll(0, 500'000));
    EXPECT_EQ(steady.see(poll(200'000, 190'000)), 190'000U);
    auto other_epoch = poll(400'000, 380'000);
    other_epoch.epoch = 2;
    EXPECT_EQ(steady.see(other_epoch), 380'000U);
}

}  // namespace
}  // namespace petrel::device::sonic
