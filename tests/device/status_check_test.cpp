#include "device/status_check.hpp"

#include <gtest/gtest.h>

namespace petrel::device {
namespace {

using watchdog::bit;
using watchdog::Field;
using enum StatusCheck::Verdict;

watchdog::Sample read(int poll, std::int64_t pause_us, bool paused = false, std::uint32_t row = 0)
{
    watchdog::Sample sample;
    sample.slot = Slot{row};
    sample.read_at = instant_from_us(poll * 100'000);
    sample.epoch = 1;
    sample.known = bit(Field::paused_now) | bit(Field::pause_us);
    sample.paused_now = paused;
    sample[Field::pause_us] = static_cast<std::uint64_t>(pause_us);
    return sample;
}

bool keeps_status(StatusCheck& check, watchdog::Sample sample)
{
    check.check(sample);
    return has(sample.known, Field::paused_now);
}

StatusCheck::Verdict see(StatusCheck& check, watchdog::Sample sample) { return check.check(sample); }

TEST(StatusCheck, AStatusThatContradictsThreePausedIntervalsIsIgnoredForAllQueues)
{
    StatusCheck check{2};
    EXPECT_EQ(see(check, read(0, 0)), as_before);
    EXPECT_EQ(see(check, read(1, 100'000)), as_before);
    EXPECT_EQ(see(check, read(2, 197'000)), as_before) << "stamps are uncertain";
    EXPECT_EQ(see(check, read(2, 197'000)), as_before) << "the same read again";
    EXPECT_EQ(see(check, read(3, 300'000)), constant);
    EXPECT_EQ(see(check, read(4, 400'000)), as_before) << "the verdict is reported once";
    EXPECT_FALSE(keeps_status(check, read(5, 500'000)));
    EXPECT_FALSE(keeps_status(check, read(5, 0, false, 1)));
}

TEST(StatusCheck, AStatusCountsAgainOnceItShowsPaused)
{
    StatusCheck check{2};
    for (int poll = 0; poll != 5; ++poll) {
        see(check, read(poll, poll * 100'000));
    }
    EXPECT_EQ(see(check, read(5, 0, true, 1)), counts);
    for (int poll = 5; poll != 15; ++poll) {
        EXPECT_TRUE(keeps_status(check, read(poll, poll * 100'000))) << "no constant";
    }
}

TEST(StatusCheck, AStatusThatHasWorkedOnceIsUsed)
{
    StatusCheck check{1};
    see(check, read(0, 0, true));
    for (int poll = 1; poll != 10; ++poll) {
        EXPECT_TRUE(keeps_status(check, read(poll, poll * 100'000)));
    }
}

TEST(StatusCheck, PausesWithBreaksProveNothing)
{
    StatusCheck check{1};
    for (int poll = 0; poll != 30; ++poll) {
        EXPECT_TRUE(keeps_status(check, read(poll, poll * 85'000)));
    }
}

TEST(StatusCheck, IntervalsOfDifferentEpochsAreNotCompared)
{
    StatusCheck check{1};
    for (int poll = 0; poll != 30; ++poll) {
        auto sample = read(poll, poll * 100'000);
        sample.epoch = 1 + static_cast<std::uint32_t>(poll) / 3;
        EXPECT_EQ(see(check, sample), as_before);
    }
}

}  // namespace
}  // namespace petrel::device
