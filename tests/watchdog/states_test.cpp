// The state table of watchdog.hpp: every transition by evidence or time on one queue, each as a small story. Ports,
// links, limits and the device's own detector are in surroundings_test.cpp, outcomes in outcomes_test.cpp, orders in
// orders_test.cpp, new configurations in change_test.cpp.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::calm_between_reads;
using test::detect;
using test::Driver;
using test::preset;
using test::Story;
using test::with_probe;

// --- watching

TEST(Watching, QuietQueueHasNoEvents)
{
    Driver d{preset("sonic"), 3};
    d.run_ms(60'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_TRUE(d.looks().empty());
    EXPECT_EQ(d.phase(), Phase::watching);
    EXPECT_EQ(d.dog().next_timer(), kNever);
}

TEST(Watching, PauseShorterThanT0IsNoStorm)
{
    Driver d{preset("sonic")};
    for (int i = 0; i < 20; ++i) {
        d.storm();
        d.run_ms(399);
        d.calm();
        d.run_ms(1);
    }
    EXPECT_EQ(d.story(), Story{});
}

TEST(Watching, T0OfPauseIsAStorm)
{
    Driver d{preset("sonic")};
    detect(d);
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.in_effect(), Treatment::drop);
    d.run_ms(60'000);
    EXPECT_EQ(d.story(), Story{}) << "a storm is reported once";
}

TEST(Watching, SuspectIsLookedAtAgainWhenItsTimeIsUp)
{
    Driver d{preset("sonic")};
    d.run_ms(30);
    d.storm();  // at 30 ms: T0 is over at 430 ms, between two polls
    d.run_ms(370);
    ASSERT_FALSE(d.looks().empty());
    EXPECT_EQ(d.looks().back().slot, Slot{0});
    EXPECT_EQ(whole_us(d.looks().back().at), 430'000);
}

TEST(Watching, PausesOfManyQueuesAreEachOnTheirOwn)
{
    Driver d{preset("sonic"), 3};
    d.storm(0);
    d.run_ms(200);
    d.storm(2);
    d.run_ms(400);
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3",
                                "600 storm_detected Ethernet8:3 proven", "600 do drop Ethernet8:3"}));
    EXPECT_EQ(d.phase(1), Phase::watching);
}

// --- alerted

TEST(Alerted, OneAlertAStormAndNeverACommand)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    Driver d{policy};
    d.storm();
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{"400 storm_alert Ethernet0:3 proven"});
    EXPECT_EQ(d.phase(), Phase::alerted);
    calm_between_reads(d);
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), Story{"12100 storm_restored Ethernet0:3 quiet"});
    d.storm();
    d.run_ms(400);
    EXPECT_EQ(d.story(), Story{"12500 storm_alert Ethernet0:3 proven"});
    EXPECT_TRUE(d.commands().empty());
}

// --- stormed

TEST(Mitigated, RestoredAfterT1OfQuiet)
{
    Driver d{preset("sonic")};
    detect(d);
    calm_between_reads(d);
    d.run_ms(1'900);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"2500 do none Ethernet0:3", "2500 storm_restored Ethernet0:3 quiet"}));
    EXPECT_EQ(d.phase(), Phase::watching);
    EXPECT_EQ(d.in_effect(), Treatment::none);
}

TEST(Mitigated, BrokenQuietStartsT1Again)
{
    Driver d{preset("sonic")};
    detect(d);
    calm_between_reads(d);
    d.run_ms(1'910);
    d.storm();
    d.run_ms(10);
    d.calm();
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), Story{}) << "10 ms of pause at 2410 ms";
    d.run_ms(80);
    EXPECT_EQ(d.story(), (Story{"4500 do none Ethernet0:3", "4500 storm_restored Ethernet0:3 quiet"}));
}

TEST(Mitigated, ForcedReleaseNeedsNoQuiet)
{
    auto policy = preset("sonic");
    policy.release = Release::forced;
    Driver d{policy};
    detect(d);
    d.run_ms(1'999);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(1);
    EXPECT_EQ(d.story(), (Story{"2400 do none Ethernet0:3", "2400 storm_restored Ethernet0:3 forced"}));
    d.run_ms(400);
    EXPECT_EQ(d.story(), (Story{"2800 storm_detected Ethernet0:3 proven", "2800 do drop Ethernet0:3"}))
        << "a storm that goes on needs T0 again";
}

TEST(Mitigated, ForcedReleaseComesBetweenTwoPolls)
{
    auto policy = preset("sonic");
    policy.release = Release::forced;
    policy.restore = milliseconds{150};
    Driver d{policy};
    detect(d);
    EXPECT_EQ(whole_us(d.dog().next_timer()), 550'000);
    d.run_ms(150);
    EXPECT_EQ(d.story(), (Story{"550 do none Ethernet0:3", "550 storm_restored Ethernet0:3 forced"}));
}

TEST(Mitigated, ManualReleaseWaitsForAPerson)
{
    auto policy = preset("sonic");
    policy.release = Release::manual;
    Driver d{policy};
    detect(d);
    d.calm();
    d.run_ms(600'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.dog().next_timer(), kNever);
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.story(), (Story{"600400 order_taken release by ann operator", "600400 do none Ethernet0:3",
                                "600400 storm_released Ethernet0:3 operator"}));
}

// --- probing

TEST(HalfOpen, ProbeThatSeesNoStormEndsIt)
{
    Driver d{with_probe()};
    detect(d);
    calm_between_reads(d);
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), Story{"2500 do none Ethernet0:3"});
    EXPECT_EQ(d.phase(), Phase::probing);
    d.run_ms(499);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(1);  // T0 + T2 without a storm
    EXPECT_EQ(d.story(), Story{"3000 storm_restored Ethernet0:3 probe"});
    EXPECT_EQ(d.phase(), Phase::watching);
}

TEST(HalfOpen, ProbeThatMeetsTheStormMitigatesSooner)
{
    Driver d{with_probe()};
    detect(d);
    calm_between_reads(d);
    d.run_ms(2'000);
    d.storm();
    d.run_ms(100);
    EXPECT_EQ(d.story(),
              (Story{"2500 do none Ethernet0:3", "2600 probe_failed Ethernet0:3 probe", "2600 do drop Ethernet0:3"}));
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.last(EventKind::probe_failed).cause, d.last(EventKind::storm_detected).seq)
        << "the event belongs to the same storm";
}

TEST(HalfOpen, AfterTheProbeT0AppliesAgain)
{
    Driver d{with_probe()};
    detect(d);
    calm_between_reads(d);
    d.run_ms(2'500);
    d.story();
    d.storm();
    d.run_ms(300);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"3400 storm_detected Ethernet0:3 proven", "3400 do drop Ethernet0:3"}));
}

TEST(HalfOpen, FailedProbesDoubleTheWaitUpToItsLimit)
{
    auto policy = with_probe();
    policy.backoff_max = milliseconds{6'000};
    Driver d{policy};
    detect(d);
    std::vector<std::int64_t> waits;
    for (int i = 0; i < 4; ++i) {
        const auto from = whole_us(d.now()) / 1000 + 100;
        calm_between_reads(d);
        while (d.phase() != Phase::probing) {
            d.run_ms(100);
        }
        waits.push_back(whole_us(d.now()) / 1000 - from);
        d.storm();
        d.run_ms(100);
        ASSERT_EQ(d.phase(), Phase::mitigated);
    }
    EXPECT_EQ(waits, (std::vector<std::int64_t>{2'000, 4'000, 6'000, 6'000}));
}

TEST(HalfOpen, WithoutBackOffTheWaitStaysTheSame)
{
    Driver d{with_probe()};
    detect(d);
    for (int i = 0; i < 3; ++i) {
        calm_between_reads(d);
        d.run_ms(2'000);
        ASSERT_EQ(d.phase(), Phase::probing) << i;
        d.storm();
        d.run_ms(100);
        ASSERT_EQ(d.phase(), Phase::mitigated);
    }
}

TEST(BackOff, StormThatReturnsSoonWaitsLongerAndHealthyTimeTakesItBack)
{
    auto policy = preset("sonic");
    policy.backoff_max = milliseconds{60'000};
    Driver d{policy};
    const auto wait_ms = [&](std::int64_t healthy_ms) {
        d.run_ms(healthy_ms);
        d.storm();
        d.run_ms(400);
        EXPECT_EQ(d.phase(), Phase::mitigated);
        calm_between_reads(d);
        const auto from = d.now();
        while (d.phase() != Phase::watching) {
            d.run_ms(100);
        }
        return whole_ms(d.now() - from);
    };
    EXPECT_EQ(wait_ms(0), 2'000);
    EXPECT_EQ(wait_ms(100), 4'000) << "back within twice the last wait";
    EXPECT_EQ(wait_ms(100), 8'000);
    EXPECT_EQ(wait_ms(15'000), 16'000);
    EXPECT_EQ(wait_ms(600'000), 2'000) << "a long healthy time pays all of it back";
}

TEST(TimedProbe, WhereNoSignalSurvivesTimeAloneReleases)
{
    auto can = test::able(bit(Field::pause_state) | bit(Field::pause_us) | bit(Field::on2off));
    can.survive = 0;
    Driver d{preset("sonic"), 1, can};
    detect(d);
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), Story{"2400 do none Ethernet0:3"});
    EXPECT_EQ(d.phase(), Phase::probing);
    d.run_ms(100);  // a quarter of T0 is enough during a probe
    EXPECT_EQ(d.story(), (Story{"2500 probe_failed Ethernet0:3 probe", "2500 do drop Ethernet0:3"}));
    d.run_ms(1'950);
    d.calm();
    d.run_ms(50);
    EXPECT_EQ(d.story(), Story{"4500 do none Ethernet0:3"});
    d.run_ms(500);
    EXPECT_EQ(d.story(), Story{"5000 storm_restored Ethernet0:3 probe"});
}

TEST(TimedProbe, FrozenSignalsDoNotRelease)
{
    // With the mitigation every signal shows a quiet queue; none is declared to survive.
    auto can = test::able(bit(Field::pause_state));
    can.survive = 0;
    auto policy = preset("sonic");
    policy.release = Release::manual;
    Driver d{policy, 1, can};
    d.storm();
    d.run_ms(500);
    d.calm();
    d.story();
    d.run_ms(60'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::mitigated);
}

// --- latched

TEST(Latched, AfterSoManyStormsInTheWindow)
{
    auto policy = preset("sonic");
    policy.latch_count = 3;
    policy.latch_window = milliseconds{10'000};
    Driver d{policy};
    for (int i = 0; i < 2; ++i) {
        d.storm();
        d.run_ms(400);
        calm_between_reads(d);
        d.run_ms(2'000);
        ASSERT_EQ(d.phase(), Phase::watching);
    }
    d.story();
    d.storm();
    d.run_ms(400);
    EXPECT_EQ(d.story(), (Story{"5400 storm_detected Ethernet0:3 proven", "5400 storm_latched Ethernet0:3 repeated",
                                "5400 do drop Ethernet0:3"}));
    EXPECT_EQ(d.phase(), Phase::latched);
    d.calm();
    d.run_ms(600'000);
    EXPECT_EQ(d.story(), Story{}) << "quiet does not open a latch";
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.story(), (Story{"605400 order_taken release by ann operator", "605400 do none Ethernet0:3",
                                "605400 storm_released Ethernet0:3 operator"}));
    EXPECT_EQ(d.phase(), Phase::watching);
}

TEST(Latched, StormsOutsideTheWindowDoNotCount)
{
    auto policy = preset("sonic");
    policy.latch_count = 2;
    policy.latch_window = milliseconds{2'499};  // storms begin 2500 ms apart
    Driver d{policy};
    for (int i = 0; i < 4; ++i) {
        d.storm();
        d.run_ms(400);
        ASSERT_EQ(d.phase(), Phase::mitigated) << i;
        calm_between_reads(d);
        d.run_ms(2'000);
    }
}

TEST(Latched, LinkDownLeavesIt)
{
    auto policy = preset("sonic");
    policy.latch_count = 1;
    Driver d{policy};
    d.storm();
    d.run_ms(400);
    d.story();
    d.queue().epoch = 0;
    d.receive(Notice::Kind::link_down, d.target());
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::latched);
}

}  // namespace
}  // namespace petrel
