// The counters of received pause, compared with a model that checks every instant.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "twin/pause_meter.hpp"

namespace petrel::twin {
namespace {

RC_GTEST_PROP(PauseMeter, EqualsACountOfEveryInstant, ())
{
    PauseMeter meter;
    Ps ends = 0;  // the model: paused at t when t < ends
    Ps paused_for = 0;
    Ps run = 0;
    Ps longest = 0;
    std::uint64_t ended = 0;
    const auto over = [&] {
        if (run == 0)
            return;
        ++ended;
        run = 0;
    };
    for (Ps t = 1; t != 200; ++t) {
        if (t >= ends)
            over();
        switch (*rc::gen::inRange(0, 12)) {
        case 0: {
            const Ps until = t + *rc::gen::inRange<Ps>(1, 30);
            meter.pause(t, until);
            ends = until;  // also if it is earlier: the newest frame counts
            break;
        }
        case 1:
            meter.resume(t);
            ends = t;
            over();
            break;
        case 2:
            meter.forget(t);
            ends = t;
            over();
            break;
        case 3: meter.settle(t); break;
        default: break;
        }
        RC_ASSERT(meter.paused(t) == (t < ends));
        RC_ASSERT(meter.paused_for(t) == paused_for);
        if (t < ends) {
            ++paused_for;
            ++run;
            longest = std::max(longest, run);
        }
    }
    if (ends <= 200)
        over();
    meter.settle(200);
    RC_ASSERT(meter.paused_for(200) == paused_for);
    RC_ASSERT(meter.ended == ended);
    RC_ASSERT(std::max(meter.longest, meter.until == 0 ? Ps{0} : 200 - meter.since) == longest);
}

TEST(PauseMeter, ARefreshAtTheEndOfThePauseIsTooLate)
{
    PauseMeter meter;
    meter.pause(10, 20);
    meter.pause(19, 29);
    EXPECT_EQ(meter.since, 10U);
    meter.pause(29, 39);
    EXPECT_EQ(meter.since, 29U);
    EXPECT_EQ(meter.ended, 1U);
    EXPECT_EQ(meter.longest, 19U);
    EXPECT_EQ(meter.xoff, 3U);
}

}  // namespace
}  // namespace petrel::twin
