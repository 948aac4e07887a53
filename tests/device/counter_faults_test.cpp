// Counters that stand still or restart, sample by sample.
#include "device/synthetic/counter_faults.hpp"

#include <gtest/gtest.h>

namespace petrel::device {
namespace {

using watchdog::Field;
using watchdog::Sample;

Sample sample(std::uint64_t packets, std::uint64_t waiting, std::uint32_t row = 0, std::uint32_t epoch = 7)
{
    Sample s;
    s.slot = Slot{row};
    s.read_at = Instant{std::chrono::microseconds{packets}};
    s.epoch = epoch;
    s[Field::tx_packets] = packets;
    s[Field::occupancy] = waiting;
    return s;
}

Sample passed(CounterFaults& faults, Sample s)
{
    faults.pass(s);
    return s;
}

TEST(CounterFaults, WithoutAnyNothingChanges)
{
    CounterFaults faults;
    EXPECT_FALSE(faults.any());
    const auto s = passed(faults, sample(100, 5));
    EXPECT_EQ(s[Field::tx_packets], 100U);
    EXPECT_EQ(s.epoch, 7U);
}

TEST(CounterFaults, FrozenRowsShowTheirFirstReadWithANewTime)
{
    CounterFaults faults;
    faults.freeze();
    passed(faults, sample(100, 5));
    passed(faults, sample(300, 6, 1));
    const auto s = passed(faults, sample(200, 9));
    EXPECT_EQ(s[Field::tx_packets], 100U);
    EXPECT_EQ(s[Field::occupancy], 5U);
    EXPECT_EQ(s.read_at, Instant{std::chrono::microseconds{200}});
    EXPECT_EQ(passed(faults, sample(400, 6, 1))[Field::tx_packets], 300U);
    faults.thaw();
    EXPECT_EQ(passed(faults, sample(250, 9))[Field::tx_packets], 250U);
    faults.freeze();
    EXPECT_EQ(passed(faults, sample(260, 9))[Field::tx_packets], 260U);
}

TEST(CounterFaults, RestartedCountersCountFromTheirFirstReadAndLevelsStay)
{
    for (const bool announced : {true, false}) {
        CounterFaults faults;
        faults.restart(announced);
        EXPECT_EQ(passed(faults, sample(100, 5))[Field::tx_packets], 0U);
        const auto s = passed(faults, sample(130, 6));
        EXPECT_EQ(s[Field::tx_packets], 30U);
        EXPECT_EQ(s[Field::occupancy], 6U);
        EXPECT_EQ(s.epoch, announced ? 8U : 7U);
        EXPECT_EQ(passed(faults, sample(140, 6, 0, 0)).epoch, 0U);  // a link that is down stays down
        faults.restart(announced);
        EXPECT_EQ(passed(faults, sample(150, 6))[Field::tx_packets], 0U);
        EXPECT_EQ(passed(faults, sample(160, 6))[Field::tx_packets], 10U);
    }
}

}  // namespace
}  // namespace petrel::device
