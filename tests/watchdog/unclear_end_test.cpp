// A mitigated queue: the mitigation may have stopped its pause signals, while PFC frames of unknown kind (XON or XOFF)
// still arrive. A signal that shows pause keeps the storm open; otherwise a timed probe ends it.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace petrel::test {
namespace {

using watchdog::EventKind;

// A switch on which only the frame counter is known to survive a mitigation.
class FramesSurvive : public testing::Test {
protected:
    static watchdog::Capabilities can()
    {
        auto can = able(bit(Field::pause_us) | bit(Field::paused_now) | bit(Field::on2off) | bit(Field::rx_pfc));
        can.survive = bit(Field::rx_pfc);
        return can;
    }

    void SetUp() override
    {
        detect(d_);
        d_.calm();  // the mitigation stops pause time and state
        counters()[Field::rx_pfc] = counters()[Field::rx_xoff];
        frames_for_ms(100);
    }

    watchdog::Sample& counters() { return d_.queue().counters; }

    // Polls of 100 ms in each of which frames arrive.
    void frames_for_ms(int ms)
    {
        for (; ms > 0; ms -= 100) {
            ++counters()[Field::rx_pfc];
            d_.run_ms(100);
        }
    }

    Driver d_{book_of(preset("sonic")), small_inventory(1), can()};
};

TEST_F(FramesSurvive, NoFramesForT1AreQuiet)
{
    d_.run_ms(2'000);
    EXPECT_EQ(d_.story(), (Story{"2500 do none Ethernet0:3", "2500 storm_restored Ethernet0:3 quiet"}));
}

TEST_F(FramesSurvive, FramesOfUnknownKindForT1EndInAProbe)
{
    frames_for_ms(1'800);
    EXPECT_EQ(d_.story(), Story{});
    frames_for_ms(100);
    EXPECT_EQ(d_.story(), Story{"2400 do none Ethernet0:3"});
    EXPECT_EQ(d_.phase(), watchdog::Phase::probing);
    frames_for_ms(500);
    EXPECT_EQ(d_.story(), Story{"2900 storm_restored Ethernet0:3 probe"});
}

TEST_F(FramesSurvive, PauseTimeThatMovesKeepsTheStormOpen)
{
    for (int i = 0; i != 10; ++i) {
        ++counters()[Field::pause_us];
        frames_for_ms(1'500);
    }
    EXPECT_EQ(d_.story(), Story{}) << "one microsecond of pause is pause";
    frames_for_ms(600);
    EXPECT_EQ(d_.story(), Story{"16100 do none Ethernet0:3"});
}

TEST_F(FramesSurvive, PauseTimeThatMovedOnceAndStandsStillIsNoQuietWhileFramesArrive)
{
    ++counters()[Field::pause_us];
    frames_for_ms(100);
    frames_for_ms(1'900);
    EXPECT_EQ(d_.story(), Story{});
    EXPECT_EQ(d_.phase(), watchdog::Phase::mitigated);
}

TEST_F(FramesSurvive, AProbeThatMeetsTheStormAgainWaitsTwiceAsLongForTheNext)
{
    frames_for_ms(1'900);
    EXPECT_EQ(d_.story(), Story{"2400 do none Ethernet0:3"});
    counters()[Field::rx_xoff] = counters()[Field::rx_pfc];
    d_.storm();
    d_.run_ms(100);
    EXPECT_EQ(d_.story(), (Story{"2500 probe_failed Ethernet0:3 probe", "2500 do drop Ethernet0:3"}));
    d_.calm();
    counters()[Field::rx_pfc] = counters()[Field::rx_xoff];
    frames_for_ms(3'900);
    EXPECT_EQ(d_.story(), Story{});
    frames_for_ms(100);
    EXPECT_EQ(d_.story(), Story{"6500 do none Ethernet0:3"});
}

// Quiet has its own clock. Occasional frames restart it, and only intervals with frames count towards the probe.
TEST_F(FramesSurvive, QuietIntervalsDoNotCountForAProbe)
{
    d_.run_ms(1'500);
    frames_for_ms(100);
    d_.run_ms(1'900);
    EXPECT_EQ(d_.story(), Story{});
    d_.run_ms(100);
    EXPECT_EQ(d_.story(), (Story{"4100 do none Ethernet0:3", "4100 storm_restored Ethernet0:3 quiet"}));
}

TEST_F(FramesSurvive, AQueueThatCannotBeReadIsNotProbed)
{
    d_.queue().readable = false;
    d_.run_ms(60'000);
    EXPECT_EQ(d_.story(), Story{});
}

// All signals that show pause in an interval, even if a mitigation may stop them.
TEST(SurvivingSignals, AnythingThatShowsPauseIsSeen)
{
    const auto shows = [](Field f, std::uint64_t before, std::uint64_t now) {
        watchdog::Intake intake{small_inventory(1), able(bit(f) | bit(Field::tx_packets))};
        for (const auto& [at, value] : {std::pair{0, before}, std::pair{100'000, now}}) {
            watchdog::Sample s;
            s.read_at = instant_from_us(at);
            s.epoch = 1;
            s.known = bit(f) | bit(Field::tx_packets);
            s.paused_now = value != 0;
            s[f] = value;
            intake.begin();
            intake.put(s);
        }
        return (intake.view().known[0] & watchdog::kPauseSeen) != 0;
    };
    for (const auto f : {Field::pause_us, Field::rx_xoff, Field::on2off}) {
        EXPECT_TRUE(shows(f, 5, 6)) << name(f);
        EXPECT_FALSE(shows(f, 5, 5)) << name(f);
    }
    EXPECT_TRUE(shows(Field::paused_now, 0, 1));
    EXPECT_TRUE(shows(Field::paused_now, 1, 0)) << "the interval began with pause";
    EXPECT_FALSE(shows(Field::paused_now, 0, 0));
    EXPECT_FALSE(shows(Field::rx_pfc, 5, 6)) << "these may be XON frames";
    EXPECT_FALSE(shows(Field::rx_xon, 5, 6));
}

// A row may keep fewer signals while mitigated than the device declares to survive.
TEST(SurvivingSignals, AreThoseOfTheRow)
{
    watchdog::Intake intake{small_inventory(2), able(bit(Field::pause_us) | bit(Field::rx_pfc))};
    for (int i = 0; i != 2; ++i) {
        intake.begin();
        for (std::uint32_t row = 0; row != 2; ++row) {
            watchdog::Sample s;
            s.slot = Slot{row};
            s.read_at = instant_from_us(i * 100'000);
            s.epoch = 1;
            s.known = bit(Field::pause_us) | bit(Field::rx_pfc);
            s.survives = row == 0 ? ~Fields{} : bit(Field::rx_pfc);
            s[Field::rx_pfc] = static_cast<std::uint64_t>(i);
            intake.put(s);
        }
    }
    EXPECT_NE(intake.view().pause[0] & watchdog::kQuietStill, 0);
    EXPECT_EQ(intake.view().pause[1] & watchdog::kQuietStill, 0);
    EXPECT_NE(intake.view().pause[1] & watchdog::kQuiet, 0);
}

}  // namespace
}  // namespace petrel::test
