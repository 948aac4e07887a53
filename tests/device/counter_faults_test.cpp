// Counters that stand still, restart, wrap or are wrong, and time stamps that are wrong, sample by sample.
#include "device/synthetic/counter_faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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

TEST(CounterFaults, CountersWrapAt32Bits)
{
    CounterFaults faults;
    faults.restart(true, 30);
    EXPECT_EQ(passed(faults, sample(100, 5))[Field::tx_packets], 0xffff'ffffU - 29);
    EXPECT_EQ(passed(faults, sample(129, 5))[Field::tx_packets], 0xffff'ffffU);
    const auto s = passed(faults, sample(130, 6));
    EXPECT_EQ(s[Field::tx_packets], 0U);
    EXPECT_EQ(s[Field::occupancy], 6U);
    EXPECT_EQ(s.epoch, 8U) << "the restart is reported, the wrap is not";
    faults.restart(false);
    EXPECT_EQ(passed(faults, sample(140, 6))[Field::tx_packets], 0U);
    EXPECT_EQ(passed(faults, sample(0x1'0000'0000 + 140, 6))[Field::tx_packets], 0x1'0000'0000U)
        << "the next restart counts with 64 bits again";
}

TEST(CounterFaults, WrongCountersAreWrongInBothDirectionsAndSometimesRight)
{
    static constexpr std::uint64_t kTrue = 1ULL << 40U;
    const auto shown = [](std::uint64_t seed) {
        CounterFaults faults;
        faults.corrupt(seed);
        EXPECT_TRUE(faults.any());
        std::vector<std::uint64_t> values;
        for (int i = 0; i < 100; ++i) {
            const auto s = passed(faults, sample(kTrue, 5));
            EXPECT_EQ(s[Field::occupancy], 5U);
            values.push_back(s[Field::tx_packets]);
        }
        faults.correct();
        EXPECT_EQ(passed(faults, sample(kTrue, 5))[Field::tx_packets], kTrue);
        return values;
    };
    const auto values = shown(1);
    const auto count = [&](auto is) { return std::ranges::count_if(values, is); };
    EXPECT_GT(count([](auto value) { return value == kTrue; }), 30);
    EXPECT_GT(count([](auto value) { return value > kTrue; }), 10);
    EXPECT_GT(count([](auto value) { return value < kTrue; }), 10);
    EXPECT_EQ(values, shown(1));
    EXPECT_NE(values, shown(2));
}

TEST(CounterFaults, WrongStampsAreEarlyAndLateByNoMoreThanTheirBound)
{
    using namespace std::chrono_literals;
    const auto errors = [](std::uint64_t seed) {
        CounterFaults faults;
        faults.corrupt_stamps(50us, seed);
        EXPECT_TRUE(faults.any());
        std::vector<Duration> values;
        for (int i = 0; i < 100; ++i) {
            const auto s = passed(faults, sample(1'000, 5));
            EXPECT_EQ(s[Field::tx_packets], 1'000U);
            values.push_back(s.read_at - Instant{1'000us});
        }
        faults.correct_stamps();
        EXPECT_FALSE(faults.any());
        EXPECT_EQ(passed(faults, sample(1'000, 5)).read_at, Instant{1'000us});
        return values;
    };
    const auto values = errors(1);
    EXPECT_GE(*std::ranges::min_element(values), -50us);
    EXPECT_LT(*std::ranges::min_element(values), -40us);
    EXPECT_LE(*std::ranges::max_element(values), 50us);
    EXPECT_GT(*std::ranges::max_element(values), 40us);
    EXPECT_EQ(values, errors(1));
    EXPECT_NE(values, errors(2));
}

}  // namespace
}  // namespace petrel::device
