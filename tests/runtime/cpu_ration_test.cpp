#include "runtime/cpu_ration.hpp"

#include <gtest/gtest.h>

namespace petrel::runtime {
namespace {

using namespace std::chrono_literals;

Instant at(Duration time) { return Instant{time}; }

TEST(CpuRation, ABurstCostsNoRest)
{
    CpuRation ration{0.25, 50ms, 80ms};
    EXPECT_EQ(ration.rest(at(1000ms), 0ms), 0ms);
    EXPECT_EQ(ration.rest(at(1050ms), 50ms), 0ms);
}

TEST(CpuRation, AfterTheBurstAThreadRestsUntilItsShareIsKept)
{
    CpuRation ration{0.25, 50ms, 80ms};
    EXPECT_EQ(ration.rest(at(1000ms), 0ms), 0ms);
    EXPECT_EQ(ration.rest(at(1000ms), 60ms), 40ms) << "ten over the burst";
    EXPECT_EQ(ration.rest(at(1040ms), 60ms), 0ms) << "the thread has rested long enough";
    auto now = 1040ms;
    auto cpu = 60ms;
    for (int turn = 0; turn != 100; ++turn) {
        now += 8ms;
        cpu += 8ms;
        now += std::chrono::duration_cast<std::chrono::milliseconds>(ration.rest(at(now), cpu));
    }
    EXPECT_EQ(now, 1040ms + 4 * 800ms);
}

TEST(CpuRation, ARestHasABound)
{
    CpuRation ration{0.25, 50ms, 80ms};
    EXPECT_EQ(ration.rest(at(1000ms), 500ms), 80ms);
    EXPECT_EQ(ration.rest(at(1080ms), 500ms), 0ms);
    EXPECT_EQ(ration.rest(at(1080ms), 504ms), 16ms);
}

TEST(CpuRation, IdleTimeFillsTheBurstAgainAndNotMore)
{
    CpuRation ration{0.25, 50ms, 80ms};
    EXPECT_EQ(ration.rest(at(1000ms), 50ms), 0ms);
    EXPECT_EQ(ration.rest(at(1000s), 100ms), 0ms);
    EXPECT_EQ(ration.rest(at(1000s), 101ms), 4ms);
    EXPECT_EQ(ration.rest(at(std::chrono::hours{24 * 365 * 200}), 101ms), 0ms) << "no overflow";
}

}  // namespace
}  // namespace petrel::runtime
