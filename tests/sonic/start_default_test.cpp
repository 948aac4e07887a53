// The timers of `pfcwd start_default`, as a policy.
#include "sonic/start_default.hpp"

#include <gtest/gtest.h>

namespace petrel::sonic {
namespace {

using std::chrono::milliseconds;

struct Scaled {
    std::uint32_t ports{};
    int timer_ms{}, poll_ms{};
};

class StartDefault : public testing::TestWithParam<Scaled> {};

TEST_P(StartDefault, GrowsWithThePorts)
{
    auto p = watchdog::find_preset("sonic")->policy;
    p.action = watchdog::Treatment::none;
    scale_as_start_default(p, GetParam().ports);
    EXPECT_EQ(p.detect, milliseconds{GetParam().timer_ms});
    EXPECT_EQ(p.restore, milliseconds{GetParam().timer_ms});
    EXPECT_EQ(p.poll, milliseconds{GetParam().poll_ms});
    EXPECT_EQ(p.action, watchdog::Treatment::drop);
    EXPECT_TRUE(check(p).empty());
}

INSTANTIATE_TEST_SUITE_P(Ports, StartDefault,
                         testing::Values(Scaled{0, 200, 200}, Scaled{1, 200, 200}, Scaled{32, 200, 200},
                                         Scaled{33, 400, 400}, Scaled{64, 400, 400}, Scaled{160, 1000, 1000},
                                         Scaled{161, 1200, 1000}, Scaled{512, 3200, 1000}, Scaled{800, 5000, 1000},
                                         Scaled{100'000, 5000, 1000}));

}  // namespace
}  // namespace petrel::sonic
