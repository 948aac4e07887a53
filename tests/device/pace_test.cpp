#include "device/replay/pace.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace petrel::device {
namespace {

using namespace std::chrono_literals;

DeviceTrace read_at(const std::vector<Duration>& times)
{
    DeviceTrace trace;
    trace.inventory.ports = {{"Ethernet0", "", std::nullopt}};
    trace.inventory.rows.push_back({{PortId{DeviceId{0}, 0}, Priority{3}}, {}, false});
    for (const auto at : times) {
        watchdog::Sample sample;
        sample.read_at = Instant{at};
        sample.epoch = 1;
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

TEST(Pace, OneRowInAHundredMayStray)
{
    std::vector<Duration> times;
    for (int i = 0; i <= 300; ++i) {
        times.push_back(i * 100ms + (i == 150 ? 20ms : i % 2 * 1ms));
    }
    EXPECT_EQ(pace_of(read_at(times)).jitter, 1ms);
}

TEST(Pace, RowsThatFollowNoGridHaveNoJitter)
{
    const auto pace = pace_of(read_at({0ms, 100ms, 150ms, 300ms, 340ms, 500ms, 700ms}));
    EXPECT_EQ(pace.jitter, 0ms);
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
