#include "device/replay/pace.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace petrel::device {
namespace {

using namespace std::chrono_literals;

using watchdog::Field;

DeviceTrace read_at(const std::vector<Duration>& times, Field field = Field::pause_us)
{
    DeviceTrace trace;
    trace.capabilities.fields = bit(field);
    trace.inventory.ports = {{"Ethernet0", "", std::nullopt}};
    trace.inventory.rows.push_back({{PortId{DeviceId{0}, 0}, Priority{3}}, {}, false});
    for (const auto at : times) {
        watchdog::Sample sample;
        sample.read_at = Instant{at};
        sample.epoch = 1;
        sample.known = bit(field);
        trace.samples.push_back(sample);
        trace.time_us.push_back(whole_us(sample.read_at));
    }
    return trace;
}

TEST(Pace, OfAGridWithoutJitter)
{
    const auto pace = pace_of(read_at({0ms, 100ms, 200ms, 300ms}));
    EXPECT_EQ(pace.interval, 100ms);
    EXPECT_EQ(pace.jitter, 0ms);
}

TEST(Pace, JitterIsTheErrorOfTheTimeBetweenTwoRows)
{
    const auto pace = pace_of(read_at({0ms, 100ms, 203ms, 300ms, 400ms, 500ms, 600ms}));
    EXPECT_EQ(pace.interval, 100ms);
    EXPECT_EQ(pace.jitter, 3ms);
}

TEST(Pace, AMissedLookIsNoJitter)
{
    const auto pace = pace_of(read_at({0ms, 100ms, 200ms, 501ms, 600ms, 700ms, 800ms}));
    EXPECT_EQ(pace.interval, 100ms);
    EXPECT_EQ(pace.jitter, 1ms);
}

// The row is paused from the first look on.
DeviceTrace paused_at(const std::vector<Duration>& times, const std::vector<Duration>& stamps)
{
    auto trace = read_at(stamps);
    for (std::size_t i = 0; i != times.size(); ++i) {
        trace.samples[i][Field::pause_us] = static_cast<std::uint64_t>(whole_us(Instant{times[i]}));
    }
    return trace;
}

TEST(Pace, RareStampsMayStrayBeyondTwiceTheUsualJitter)
{
    std::vector<Duration> times;
    for (int i = 0; i <= 300; ++i) {
        times.push_back(i * 100ms + (i == 150 ? 20ms : i % 2 * 1ms));
    }
    const auto pace = pace_of(read_at(times));
    EXPECT_EQ(pace.jitter, 2ms);
    EXPECT_DOUBLE_EQ(pace.rows.at(0).stray, 2.0 / 300);
}

TEST(Pace, AStampThatFollowsNoGridMayBeOffByAStep)
{
    const std::vector<Duration> times{0ms, 100ms, 150ms, 300ms, 340ms, 500ms, 700ms};
    EXPECT_EQ(pace_of(read_at(times)).jitter, 150ms);
    EXPECT_EQ(pace_of(read_at(times, Field::pause_state)).jitter, 0ms) << "a state is not compared with stamps";
}

// Pause that was counted from stamp to stamp: the looks are irregular, not their stamps.
TEST(Pace, PauseTimeShowsThatStampsAreExact)
{
    const std::vector<Duration> times{0ms, 100ms, 150ms, 300ms, 340ms, 500ms, 700ms};
    EXPECT_EQ(pace_of(paused_at(times, times)).jitter, 1500us) << "a hundredth of the usual step";
}

TEST(Pace, PauseTimeShowsByHowMuchStampsAreOff)
{
    const auto pace = pace_of(
        paused_at({0ms, 100ms, 200ms, 300ms, 400ms, 500ms, 600ms}, {0ms, 140ms, 140ms, 340ms, 340ms, 540ms, 540ms}));
    EXPECT_EQ(pace.interval, 200ms) << "an unchanged stamp is no new sample";
    EXPECT_EQ(pace.jitter, 200ms) << "counters move while the stamp stays: the clock's tick is the step";
    const auto longer = pace_of(paused_at({0ms, 100ms, 200ms, 330ms, 400ms}, {0ms, 100ms, 200ms, 300ms, 400ms}));
    EXPECT_EQ(longer.jitter, 30ms) << "130 ms of pause in 100 ms";
}

TEST(Pace, APauseCounterThatRunsAheadIsNoJitter)
{
    std::vector<Duration> times;
    std::vector<Duration> stamps;
    for (int i = 0; i != 100; ++i) {
        times.push_back(i * 102ms);
        stamps.push_back(i * 100ms);
    }
    EXPECT_EQ(pace_of(paused_at(times, stamps)).jitter, 0ms);
}

TEST(Pace, ACounterThatJumpsIsNoEvidence)
{
    constexpr std::uint64_t kJump = std::uint64_t{1} << 63U;
    const std::vector<Duration> stamps{0ms, 100ms, 200ms, 300ms, 400ms, 500ms};
    auto trace = paused_at({0ms, 0ms, 100ms, 200ms, 330ms, 400ms}, stamps);
    for (std::size_t i = 1; i != stamps.size(); ++i) {
        trace.samples[i][Field::pause_us] += kJump;
    }
    EXPECT_EQ(pace_of(trace).jitter, 30ms);
}

// A clock with ticks of a second, and looks every 1.5 s.
TEST(Pace, ACoarseClockIsNoGridWithMissedLooks)
{
    EXPECT_EQ(pace_of(read_at({0s, 1s, 3s, 4s, 6s, 7s})).jitter, 1s);
    EXPECT_EQ(pace_of(read_at({0s, 1s, 2s, 3s, 4s, 6s, 7s})).jitter, 0s) << "one missed look";
}

TEST(Pace, TheWorstRowDecides)
{
    auto trace = read_at({0ms, 100ms, 200ms, 300ms, 400ms, 500ms});
    trace.inventory.rows.push_back({{PortId{DeviceId{0}, 0}, Priority{4}}, {}, false});
    for (const auto at : {0ms, 100ms, 210ms, 300ms, 400ms, 500ms}) {
        auto sample = trace.samples.front();
        sample.slot = Slot{1};
        sample.read_at = Instant{at};
        trace.samples.push_back(sample);
    }
    EXPECT_EQ(pace_of(trace).jitter, 10ms);
    EXPECT_EQ(pace_of(trace).rows.at(1).interval, 100ms);
}

TEST(Pace, OfOneRowIsNotKnown)
{
    EXPECT_EQ(pace_of(read_at({5ms})).interval, 0ms);
    EXPECT_EQ(pace_of(read_at({})).interval, 0ms);
}

TEST(Pace, DoesNotCompareStampsOfTwoEpochs)
{
    auto trace = read_at({0ms, 100ms, 200ms, 310ms, 410ms, 510ms});
    for (std::size_t i = 3; i != trace.samples.size(); ++i) {
        trace.samples[i].epoch = 2;
    }
    EXPECT_EQ(pace_of(trace).interval, 100ms);
    EXPECT_EQ(pace_of(trace).jitter, 0ms);
}

}  // namespace
}  // namespace petrel::device
