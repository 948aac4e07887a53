#include "wire/pause_counts.hpp"

#include <gtest/gtest.h>

namespace petrel::wire {
namespace {

TEST(PauseCounts, AFrameCountsForEachPriorityThatItNames)
{
    PauseCounts counts;
    count({.pause = ClassPause{0x18, {0, 0, 7, 65'535, 0, 0, 0, 0}}}, counts);
    EXPECT_EQ(counts.frames, 1U);
    EXPECT_EQ(counts.priorities[2], PauseCount{}) << "its time is not valid";
    EXPECT_EQ(counts.priorities[3], (PauseCount{.xoff = 1, .xon = 0}));
    EXPECT_EQ(counts.priorities[4], (PauseCount{.xoff = 0, .xon = 1}));
    EXPECT_EQ(counts.port, PauseCount{});
}

TEST(PauseCounts, ThePortIsCountedApart)
{
    PauseCounts counts;
    count({.pause = PortPause{1'000}}, counts);
    count({.pause = PortPause{0}}, counts);
    EXPECT_EQ(counts, (PauseCounts{.frames = 2, .port = {.xoff = 1, .xon = 1}}));
}

}  // namespace
}  // namespace petrel::wire
