#include "sonic/pause_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "noon.hpp"

namespace petrel::sonic {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;
using testing::IsEmpty;

constexpr Priority kThree{3};
constexpr auto kTotal = "EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US";
constexpr auto kLength = "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIME_US";
constexpr auto kBegan = "EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIMESTAMP";

microseconds number(const Hash& fields, const char* name) { return microseconds{std::stoll(fields.at(name))}; }
WallTime began(const Hash& fields) { return WallTime{number(fields, kBegan)}; }

TEST(PauseHistory, WithoutPauseThereIsNothingToShow)
{
    PauseHistory history{kThree, {}};
    EXPECT_FALSE(history.see({kNoon, 0us, false, {}}));
    EXPECT_FALSE(history.see({kNoon + 200ms, 200ms, false, {}}));
    EXPECT_THAT(history.fields(), IsEmpty());
}

// As in SONiC: the pause counts from the previous look.
TEST(PauseHistory, AStateAloneCountsTheIntervalsThatEndPaused)
{
    PauseHistory history{kThree, {}};
    history.see({kNoon, 0us, false, {}});
    EXPECT_TRUE(history.see({kNoon + 200ms, 200ms, true, {}}));
    EXPECT_TRUE(history.see({kNoon + 500ms, 300ms, true, {}}));
    const Hash shown{{kTotal, "500000"}, {kLength, "500000"}, {kBegan, "1700000000000000"}};
    EXPECT_EQ(history.fields(), shown);
    EXPECT_FALSE(history.see({kNoon + 700ms, 200ms, false, {}}));
    EXPECT_EQ(history.fields(), shown) << "the last pause stays";
    EXPECT_TRUE(history.see({kNoon + 800ms, 100ms, true, {}}));
    EXPECT_EQ(history.fields(), (Hash{{kTotal, "600000"}, {kLength, "100000"}, {kBegan, "1700000000700000"}}));
}

TEST(PauseHistory, PauseTimeGivesTheStartAndTheDevicesTotalIsShown)
{
    PauseHistory history{kThree, {}};
    history.see({kNoon, 0us, false, 7'000'000});
    EXPECT_TRUE(history.see({kNoon + 200ms, 200ms, true, 7'050'000}));
    EXPECT_EQ(history.fields(), (Hash{{kLength, "50000"}, {kBegan, "1700000000150000"}}));
    EXPECT_TRUE(history.see({kNoon + 400ms, 200ms, false, 7'080'000}));
    EXPECT_EQ(history.fields(), (Hash{{kLength, "80000"}, {kBegan, "1700000000150000"}}));
    EXPECT_FALSE(history.see({kNoon + 600ms, 200ms, false, 7'080'000}));
    EXPECT_TRUE(history.see({kNoon + 800ms, 200ms, false, 7'081'000})) << "the pause began and ended between two looks";
    EXPECT_EQ(history.fields(), (Hash{{kLength, "1000"}, {kBegan, "1700000000600000"}}));
}

TEST(PauseHistory, WithPauseTimeAloneAPauseGoesOnForAsLongAsItIsCounted)
{
    PauseHistory history{kThree, {}};
    history.see({kNoon, 0us, {}, 0});
    history.see({kNoon + 200ms, 200ms, {}, 100'000});
    history.see({kNoon + 400ms, 200ms, {}, 300'000});
    EXPECT_EQ(history.fields(), (Hash{{kLength, "300000"}, {kBegan, "1700000000000000"}}));
    EXPECT_FALSE(history.see({kNoon + 600ms, 200ms, {}, 300'000}));
    history.see({kNoon + 800ms, 200ms, {}, 300'010});
    EXPECT_EQ(history.fields().at(kLength), "10");
}

TEST(PauseHistory, ACounterThatWasClearedAndOneThatRunsTooFastInventNoPause)
{
    PauseHistory history{kThree, {}};
    history.see({kNoon, 0us, {}, 500'000});
    EXPECT_FALSE(history.see({kNoon + 200ms, 200ms, {}, 100'000}));
    EXPECT_TRUE(history.see({kNoon + 400ms, 200ms, {}, 900'000'000}));
    EXPECT_EQ(history.fields().at(kLength), "200000");
}

TEST(PauseHistory, GoesOnWithTheTotalThatIsShownAndWithNothingElse)
{
    PauseHistory history{kThree, {{kTotal, "5000000"}, {kLength, "77"}, {kBegan, "88"}}};
    EXPECT_THAT(history.fields(), IsEmpty());
    history.see({kNoon, 0us, true, {}});
    history.see({kNoon + 200ms, 200ms, true, {}});
    EXPECT_EQ(history.fields(), (Hash{{kTotal, "5200000"}, {kLength, "200000"}, {kBegan, "1700000000000000"}}));
    for (const auto* nonsense : {"", "-4", "12 s", "99999999999999999999999"}) {
        PauseHistory other{kThree, {{kTotal, nonsense}}};
        other.see({kNoon + 200ms, 200ms, true, {}});
        EXPECT_EQ(other.fields().at(kTotal), "200000") << nonsense;
    }
}

// Whatever the device reports, and even if the wall clock is set.
RC_GTEST_PROP(PauseHistory, IsNeverLongerThanTheObservedTime, ())
{
    PauseHistory history{kThree, {}};
    auto at = kNoon;
    std::uint64_t pause_us = 0;
    microseconds all{};
    microseconds longest{};
    const bool has_state = *rc::gen::arbitrary<bool>();
    const bool has_time = *rc::gen::arbitrary<bool>();
    for (int looks = *rc::gen::inRange(1, 30); looks != 0; --looks) {
        const microseconds interval{*rc::gen::inRange(0, 1'000'000)};
        at += interval + microseconds{*rc::gen::element(0, 0, 0, -5'000'000, 3'000'000)};
        pause_us += static_cast<std::uint64_t>(*rc::gen::inRange(0, 2'000'000));
        pause_us = *rc::gen::inRange(0, 10) == 0 ? 0 : pause_us;
        const PauseLook look{at, interval, has_state ? std::optional{*rc::gen::arbitrary<bool>()} : std::nullopt,
                             has_time ? std::optional{pause_us} : std::nullopt};
        const auto before = history.fields();
        const bool paused = history.see(look);
        const auto shown = history.fields();
        RC_ASSERT(paused || shown == before);
        RC_ASSERT(!paused || has_state || has_time);
        if (paused) {
            all += interval;
            const auto length = number(shown, kLength);
            RC_ASSERT(length > 0us);
            RC_ASSERT(length <= all);
            RC_ASSERT(began(shown) + length <= at);
            longest = std::max(longest, length);
        }
        if (!shown.empty() && !has_time) {
            RC_ASSERT(number(shown, kTotal) == all);
            RC_ASSERT(number(shown, kTotal) >= longest);
        }
        RC_ASSERT(!has_time || !shown.contains(kTotal));
    }
}

}  // namespace
}  // namespace petrel::sonic
