// A walk along the state table of watchdog.hpp: every edge that evidence and time can take, each as a small story. What
// devices answer is in outcomes_test.cpp, what people order in orders_test.cpp, new configuration in change_test.cpp.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::Driver;
using test::preset;
using test::Story;

// A storm from 0 on, detected at 400 ms; sonic polls every 100 ms, T0 = 400 ms, T1 = 2 s.
void detect(Driver& d)
{
    d.storm();
    d.run_ms(400);
    ASSERT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3"}));
}

// The storm ends in the middle of an interval, so that quiet begins at the read after.
void calm_between_reads(Driver& d, std::uint32_t row = 0)
{
    d.run_ms(50);
    d.calm(row);
    d.run_ms(50);
}

// --- watching

TEST(Watching, QuietQueueTellsNothing)
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
    EXPECT_EQ(d.story(), Story{}) << "a storm is told once";
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

TEST(Mitigated, ForcedReleaseAsksNobody)
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

Policy with_probe()
{
    auto policy = preset("sonic");
    policy.probe = milliseconds{100};
    return policy;
}

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
    d.run_ms(1);  // T0 + T2 without
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
    EXPECT_EQ(d.last(EventKind::probe_failed).cause, d.last(EventKind::storm_detected).seq) << "it is the same storm";
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
    d.run_ms(100);  // a quarter of T0 of the storm is enough now
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
    // The mitigation itself makes the queue look calm to every signal; none is declared to survive.
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
    d.hear(Notice::Kind::link_down, d.target());
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::latched);
}

// --- the NIC

Driver nic()
{
    return Driver{preset("rdma-nic"), 1,
                  test::able(bit(Field::rx_packets) | bit(Field::pause_tx) | bit(Field::pause_tx_us))};
}

void pause_its_switch(Driver& d, std::int64_t ms)
{
    for (std::int64_t t = 0; t < ms; t += 10) {
        d.queue().counters[Field::pause_tx_us] += 10'000;
        d.queue().counters[Field::pause_tx] += 30;
        d.run_ms(10);
    }
}

TEST(NicLatched, ReceivesNothingAndPausesItsSwitchForT0)
{
    auto d = nic();
    pause_its_switch(d, 90);
    EXPECT_EQ(d.story(), Story{});
    pause_its_switch(d, 10);
    EXPECT_EQ(d.story(), (Story{"100 nic_latched Ethernet0:3 proven", "100 do mute_pause Ethernet0:3"}));
    EXPECT_EQ(d.phase(), Phase::latched);
}

TEST(NicLatched, OnePacketReceivedIsNoStall)
{
    auto d = nic();
    for (int i = 0; i < 10; ++i) {
        pause_its_switch(d, 90);
        d.queue().counters[Field::rx_packets] += 1;
        pause_its_switch(d, 10);
    }
    EXPECT_EQ(d.story(), Story{});
}

TEST(NicLatched, NothingButARepairReleasesIt)
{
    auto d = nic();
    pause_its_switch(d, 100);
    d.story();
    d.run_ms(600'000);
    d.queue().counters[Field::rx_packets] += 1000;
    d.run_ms(600'000);
    d.hear(Notice::Kind::link_down, d.target());
    EXPECT_EQ(d.story(), Story{});
    d.order(Order::Kind::stop);
    EXPECT_EQ(d.story(), Story{"1200100 order_taken stop by ann operator"});
    EXPECT_EQ(d.phase(), Phase::latched) << "a latch survives the watchdog";
    EXPECT_EQ(d.in_effect(), Treatment::mute_pause);
    d.order(Order::Kind::release, d.target(), "repair");
    EXPECT_EQ(d.story(), (Story{"1200100 order_taken release by repair operator", "1200100 do none Ethernet0:3",
                                "1200100 storm_released Ethernet0:3 operator"}));
}

// --- pause too long: the port's own status

TEST(PauseTooLong, SetAndClearedOnThePort)
{
    auto inventory = test::small_inventory(1);
    inventory.rows[0].target.priority.reset();
    Driver d{test::book_of(preset("pause-too-long")), inventory, test::able(bit(Field::pause_timeout))};
    d.run_ms(100);
    d.queue().counters[Field::pause_timeout] = 0x10;
    d.run_ms(10);
    EXPECT_EQ(d.story(), (Story{"110 pause_too_long Ethernet0 proven", "110 do squeeze Ethernet0"}));
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{});
    d.queue().counters[Field::pause_timeout] = 0;
    d.run_ms(10);
    EXPECT_EQ(d.story(), (Story{"1120 do none Ethernet0", "1120 pause_too_long_cleared Ethernet0 quiet"}));
}

TEST(PauseTooLong, StatusThatCannotBeReadClearsNothing)
{
    auto inventory = test::small_inventory(1);
    inventory.rows[0].target.priority.reset();
    Driver d{test::book_of(preset("pause-too-long")), inventory, test::able(bit(Field::pause_timeout))};
    d.queue().counters[Field::pause_timeout] = 1;
    d.run_ms(10);
    d.story();
    d.queue().counters[Field::pause_timeout] = 0;
    d.queue().readable = false;
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{});
}

// --- the link

TEST(LinkDown, SeenInALookRestoresAMitigatedQueue)
{
    Driver d{preset("sonic")};
    detect(d);
    d.queue().epoch = 0;
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"500 do none Ethernet0:3", "500 storm_restored Ethernet0:3 link_down"}));
}

TEST(LinkDown, HeardOfRestoresAMitigatedQueueAtOnce)
{
    Driver d{preset("sonic")};
    detect(d);
    d.run_ms(37);
    d.hear(Notice::Kind::link_down, {d.target().port, std::nullopt});
    EXPECT_EQ(d.story(), (Story{"437 do none Ethernet0:3", "437 storm_restored Ethernet0:3 link_down"}));
}

TEST(LinkDown, EndsAnAlertAndAProbe)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    Driver alert{policy};
    alert.storm();
    alert.run_ms(400);
    alert.hear(Notice::Kind::link_down, alert.target());
    EXPECT_EQ(alert.story(), (Story{"400 storm_alert Ethernet0:3 proven", "400 storm_restored Ethernet0:3 link_down"}));

    Driver probe{with_probe()};
    detect(probe);
    calm_between_reads(probe);
    probe.run_ms(2'000);
    probe.story();
    probe.hear(Notice::Kind::link_down, probe.target());
    EXPECT_EQ(probe.story(), Story{"2500 storm_restored Ethernet0:3 link_down"});
}

TEST(LinkDown, IsNoEvidenceWhileWatching)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(300);
    d.queue().epoch = 0;
    d.run_ms(100);
    d.queue().epoch = 2;
    d.run_ms(100);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(400);  // the first interval of the new link counts from its second read on
    EXPECT_EQ(d.story(), (Story{"900 storm_detected Ethernet0:3 proven", "900 do drop Ethernet0:3"}));
}

TEST(LinkUp, ChangesNothing)
{
    Driver d{preset("sonic")};
    detect(d);
    d.hear(Notice::Kind::link_up, d.target());
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::mitigated);
}

// --- blast radius

PolicyBook limited(std::uint32_t most)
{
    auto book = test::book_of(preset("sonic"));
    book.max_mitigated = most;
    return book;
}

TEST(BlastRadius, BeyondItAlertsEscalatesAndActsWhenThereIsRoomAgain)
{
    Driver d{limited(1), test::small_inventory(2)};
    d.storm(0);
    d.storm(1);
    d.run_ms(400);
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 storm_alert Ethernet4:3 blast_radius",
                                "400 storm_escalated Ethernet4:3 blast_radius", "400 do drop Ethernet0:3"}));
    EXPECT_EQ(d.phase(1), Phase::alerted);
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
    calm_between_reads(d, 0);
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), (Story{"12500 do none Ethernet0:3", "12500 storm_restored Ethernet0:3 quiet",
                                "12500 storm_detected Ethernet4:3 proven", "12500 do drop Ethernet4:3"}));
}

TEST(BlastRadius, WithheldStormThatEndsIsRestoredWithoutACommand)
{
    Driver d{limited(1), test::small_inventory(2)};
    d.storm(0);
    d.storm(1);
    d.run_ms(400);
    d.story();
    calm_between_reads(d, 1);
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), Story{"2500 storm_restored Ethernet4:3 quiet"});
}

TEST(BlastRadius, QuietQueueIsNotMitigatedWhenTheBudgetFrees)
{
    Driver d{limited(1), test::small_inventory(2)};
    d.storm(0);
    d.storm(1);
    d.run_ms(400);
    d.story();
    d.run_ms(50);
    d.calm(1);
    d.run_ms(550);
    d.hear(Notice::Kind::link_down, d.target(0));
    EXPECT_EQ(d.story(), (Story{"1000 do none Ethernet0:3", "1000 storm_restored Ethernet0:3 link_down"}));
    EXPECT_EQ(d.phase(1), Phase::alerted);
}

TEST(BlastRadius, TheLimitCountsWhatIsStillBeingRestored)
{
    Driver d{limited(1), test::small_inventory(2)};
    d.storm(0);
    d.run_ms(400);
    d.stays_silent();
    d.hear(Notice::Kind::link_down, d.target(0));
    d.story();
    d.storm(1);
    d.run_ms(400);
    EXPECT_EQ(d.story(),
              (Story{"800 storm_alert Ethernet4:3 blast_radius", "800 storm_escalated Ethernet4:3 blast_radius"}))
        << "the device has not said that the first one is free";
}

// --- a treatment that hits the whole port

Inventory one_port()
{
    auto inventory = test::small_inventory(1);
    inventory.rows.push_back(inventory.rows[0]);
    inventory.rows[1].target.priority = Priority{4};
    return inventory;
}

Policy port_wide()
{
    auto policy = preset("rdma-switch");
    policy.needs_backlog = false;
    return policy;
}

// rdma-switch polls every 50 ms, T0 = T1 = 200 ms; the interval in which a stall begins does not count.
TEST(PortWide, HeldWhileAnyQueueOfThePortNeedsIt)
{
    Driver d{test::book_of(port_wide()), one_port()};
    d.storm(0);
    d.run_ms(100);
    d.storm(1);
    d.run_ms(300);
    EXPECT_EQ(d.story(), (Story{"250 storm_detected Ethernet0:3 proven", "250 do lossless_off Ethernet0",
                                "350 storm_detected Ethernet0:4 proven"}));
    EXPECT_EQ(d.in_effect(1), Treatment::lossless_off);
    d.run_ms(25);
    d.calm(0);
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{}) << "the other queue still storms";
    d.calm(1);
    d.run_ms(225);
    EXPECT_EQ(d.story(), (Story{"1650 do none Ethernet0", "1650 storm_restored Ethernet0:3 quiet",
                                "1650 storm_restored Ethernet0:4 quiet"}));
    EXPECT_EQ(d.phase(0), Phase::watching);
    EXPECT_EQ(d.phase(1), Phase::watching);
}

TEST(PortWide, OneQueueReleasedByAPersonLeavesThePortToTheOther)
{
    Driver d{test::book_of(port_wide()), one_port()};
    d.storm(0);
    d.storm(1);
    d.run_ms(250);
    d.story();
    d.order(Order::Kind::release, d.target(0));
    EXPECT_EQ(d.story(), (Story{"250 order_taken release by ann operator", "250 storm_released Ethernet0:3 operator"}));
    EXPECT_EQ(d.in_effect(0), Treatment::lossless_off);
    EXPECT_EQ(d.phase(1), Phase::mitigated);
}

// --- the device detects

Driver by_device()
{
    auto policy = preset("sai");
    policy.criterion = Criterion::device;
    auto can = test::able(bit(Field::pause_state));
    can.detects_itself = true;
    return Driver{policy, 1, can};
}

TEST(DeviceCriterion, NoticesBeginAndEndTheStorm)
{
    auto d = by_device();
    d.storm();
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{}) << "what the queue shows is not asked";
    d.hear(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.story(), Story{"1000 storm_detected Ethernet0:3 device"});
    EXPECT_EQ(d.phase(), Phase::mitigated);
    d.hear(Notice::Kind::detected, d.target());
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
    d.hear(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{"11000 storm_restored Ethernet0:3 device"});
    d.hear(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{});
    EXPECT_TRUE(d.commands().empty()) << "the device treats the queue itself";
    EXPECT_EQ(d.stats().detected, 1U);
    EXPECT_EQ(d.stats().restored, 1U);
}

TEST(DeviceCriterion, LinkDownEndsTheStorm)
{
    auto d = by_device();
    d.hear(Notice::Kind::detected, d.target());
    d.hear(Notice::Kind::link_down, d.target());
    EXPECT_EQ(d.story(), (Story{"0 storm_detected Ethernet0:3 device", "0 storm_restored Ethernet0:3 link_down"}));
}

TEST(DeviceCriterion, NoticesMeanNothingToOtherPolicies)
{
    Driver d{preset("sonic")};
    d.hear(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.story(), Story{});
    detect(d);
    d.hear(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{});
}

TEST(DeviceCriterion, NoticeForAQueueThatDoesNotExistIsIgnored)
{
    auto d = by_device();
    d.hear(Notice::Kind::detected, {PortId{DeviceId{}, 99}, Priority{3}});
    d.hear(Notice::Kind::detected, {PortId{DeviceId{}, 0}, Priority{6}});
    EXPECT_EQ(d.story(), Story{});
}

// --- an outbox without room

TEST(SmallOutbox, NothingIsLostAndNothingIsTwice)
{
    constexpr std::size_t kQueues = 9;
    Driver d{test::book_of(preset("sonic")), test::small_inventory(kQueues), test::able(test::kTellsAll), 2};
    for (std::uint32_t r = 0; r < kQueues; ++r) {
        d.storm(r);
    }
    d.run_ms(2'000);
    for (std::uint32_t r = 0; r < kQueues; ++r) {
        EXPECT_EQ(d.phase(r), Phase::mitigated) << r;
        EXPECT_EQ(d.stats(r).detected, 1U);
    }
    EXPECT_EQ(d.events().size(), kQueues);
    EXPECT_EQ(d.commands().size(), kQueues);
    d.run_ms(50);
    for (std::uint32_t r = 0; r < kQueues; ++r) {
        d.calm(r);
    }
    d.run_ms(5'000);
    EXPECT_EQ(d.events().size(), 2 * kQueues);
    EXPECT_EQ(d.commands().size(), 2 * kQueues);
    for (std::uint32_t r = 0; r < kQueues; ++r) {
        EXPECT_EQ(d.phase(r), Phase::watching) << r;
        EXPECT_EQ(d.stats(r).restored, 1U);
    }
}

TEST(SmallOutbox, SaysThatSomethingWaits)
{
    const auto inventory = test::small_inventory(3);
    const auto can = test::able(bit(Field::pause_state));
    auto policy = preset("sonic");
    policy.detect = policy.poll;
    Watchdog dog{*compile(test::book_of(policy), inventory, can), Instant{}};
    Intake intake{inventory, can};
    Outbox out{2};
    const auto look = [&](std::int64_t at_ms, PauseState state) {
        intake.begin();
        for (std::uint32_t r = 0; r < 3; ++r) {
            Sample s;
            s.slot = Slot{r};
            s.read_at = instant_from_us(1'000 * at_ms);
            s.known = can.fields;
            s.epoch = 1;
            s.pause_state = state;
            intake.put(s);
        }
        dog.look(intake.view(), instant_from_us(1'000 * at_ms), out);
    };
    look(0, PauseState::not_continuous);
    EXPECT_FALSE(out.overflowed);
    look(100, PauseState::paused);
    EXPECT_TRUE(out.overflowed);
    EXPECT_EQ(out.events.size(), 1U) << "a storm needs room for all it may say";
    EXPECT_LE(out.commands.size(), 2U);
    std::size_t events = 0;
    for (int pass = 0; pass < 4; ++pass) {
        events += out.events.size();
        out.clear();
        look(200 + 100 * pass, PauseState::paused);
    }
    EXPECT_EQ(events + out.events.size(), 3U);
    EXPECT_FALSE(out.overflowed);
}

TEST(SmallOutbox, ADevicesNoticeIsNotLost)
{
    auto policy = preset("sai");
    policy.criterion = Criterion::device;
    auto can = test::able(bit(Field::pause_state));
    can.detects_itself = true;
    Driver d{test::book_of(policy), one_port(), can, 1};
    d.hear(Notice::Kind::detected, {d.target().port, std::nullopt});
    EXPECT_EQ(d.story(), (Story{"0 storm_detected Ethernet0:3 device", "0 storm_detected Ethernet0:4 device"}));
}

}  // namespace
}  // namespace petrel
