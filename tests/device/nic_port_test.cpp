#include "device/nic_port.hpp"

#include <gtest/gtest.h>

#include "device/replay/nic_ports.hpp"

namespace petrel::device {
namespace {

using watchdog::Field;
using watchdog::Sample;

constexpr auto kAll = bit(Field::rx_packets) | bit(Field::pause_tx) | bit(Field::pause_tx_us);

Sample counted(std::uint64_t packets, std::uint64_t frames, std::uint64_t us, watchdog::Fields known = kAll)
{
    Sample sample;
    sample.known = known;
    sample.epoch = 1;
    sample[Field::rx_packets] = packets;
    sample[Field::pause_tx] = frames;
    sample[Field::pause_tx_us] = us;
    return sample;
}

class NicPortTest : public testing::Test {
protected:
    Sample port(const Sample& three, const Sample& four)
    {
        const std::array each{three, four};
        nic_.combine(each, combined_);
        return combined_;
    }

    NicPort nic_;
    Sample combined_;
};

TEST_F(NicPortTest, CountsThePacketsOfAllPriorities)
{
    const auto before = port(counted(100, 0, 0), counted(200, 0, 0));
    const auto after = port(counted(110, 0, 0), counted(205, 0, 0));
    EXPECT_EQ(after.known, kAll);
    EXPECT_EQ(after[Field::rx_packets] - before[Field::rx_packets], 15U);
}

TEST_F(NicPortTest, CountsNoTimeOfPauseTwice)
{
    const auto before = port(counted(0, 10, 1'000), counted(0, 70, 7'000));
    const auto after = port(counted(0, 40, 9'000), counted(0, 90, 16'000));
    EXPECT_EQ(after[Field::pause_tx] - before[Field::pause_tx], 30U) << "of priority 3";
    EXPECT_EQ(after[Field::pause_tx_us] - before[Field::pause_tx_us], 9'000U) << "of priority 4";
}

TEST_F(NicPortTest, ACounterThatGoesBackwardsIsAReset)
{
    port(counted(100, 50, 500), counted(100, 50, 500));
    const auto before = port(counted(150, 60, 600), counted(150, 60, 600));
    const auto after = port(counted(0, 60, 600), counted(900, 60, 600));
    EXPECT_LT(after[Field::rx_packets], before[Field::rx_packets]);
    EXPECT_EQ(after[Field::pause_tx], before[Field::pause_tx]);
}

TEST_F(NicPortTest, AFieldThatAPriorityDoesNotKnowIsUnknown)
{
    port(counted(1, 1, 1), counted(1, 1, 1));
    EXPECT_EQ(port(counted(2, 2, 2), counted(2, 2, 2, bit(Field::pause_tx))).known, bit(Field::pause_tx));
    EXPECT_EQ(port(counted(3, 3, 3), counted(3, 3, 3)).known, kAll);
}

// ---- recordings

DeviceTrace recorded(bool with_port)
{
    DeviceTrace trace;
    trace.inventory.ports = {{"mlx0", "", std::nullopt}};
    for (const auto priority : {std::uint8_t{3}, std::uint8_t{4}}) {
        trace.inventory.rows.push_back({{PortId{DeviceId{0}, 0}, Priority{priority}}, {25'000'000'000}, false});
    }
    if (with_port) {
        trace.inventory.rows.push_back({{PortId{DeviceId{0}, 0}, std::nullopt}, {25'000'000'000}, false});
    }
    trace.capabilities.fields = kAll;
    return trace;
}

void add(DeviceTrace& trace, std::int64_t time_us, std::uint32_t slot, Sample sample)
{
    sample.slot = Slot{slot};
    sample.read_at = Instant{std::chrono::microseconds{time_us}};
    trace.samples.push_back(sample);
    trace.time_us.push_back(time_us);
}

TEST(NicPortsOfATrace, GetARowOfTheirOwn)
{
    auto trace = recorded(false);
    add(trace, 0, 0, counted(10, 0, 0));
    add(trace, 0, 1, counted(20, 0, 0));
    add(trace, 100, 0, counted(10, 0, 0));  // priority 4 is missing in this look
    add(trace, 200, 0, counted(15, 0, 0));
    add(trace, 200, 1, counted(20, 3, 90));
    add_nic_ports(trace);
    ASSERT_EQ(trace.inventory.rows.size(), 3U);
    EXPECT_EQ(trace.inventory.rows[2].target, (Target{PortId{DeviceId{0}, 0}, std::nullopt}));
    EXPECT_EQ(trace.inventory.rows[2].speed.bps, 25'000'000'000U);
    EXPECT_EQ(trace.time_us, (std::vector<std::int64_t>{0, 0, 0, 100, 200, 200, 200}));
    ASSERT_EQ(trace.samples.size(), 7U);
    const auto& last = trace.samples.back();
    EXPECT_EQ(last.slot, Slot{2});
    EXPECT_EQ(last.read_at, Instant{std::chrono::microseconds{200}});
    EXPECT_NE(last.epoch, 0U);
    EXPECT_EQ(last[Field::rx_packets] - trace.samples[2][Field::rx_packets], 5U);
    EXPECT_EQ(last[Field::pause_tx_us], 90U);
}

TEST(NicPortsOfATrace, AreLeftAloneIfTheyWereRecorded)
{
    auto trace = recorded(true);
    add(trace, 0, 0, counted(10, 0, 0));
    add(trace, 0, 1, counted(20, 0, 0));
    add(trace, 0, 2, counted(77, 7, 7));
    add_nic_ports(trace);
    ASSERT_EQ(trace.samples.size(), 3U);
    EXPECT_EQ(trace.samples[2][Field::rx_packets], 77U);
}

}  // namespace
}  // namespace petrel::device
