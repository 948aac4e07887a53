// The state table of watchdog.hpp where more than the evidence of one queue decides: NICs and ports with their own
// signals, links that go down, max_mitigated, treatments of a whole port, devices that detect storms themselves, an
// outbox without room.
#include <gmock/gmock.h>
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

// --- the NIC

Driver nic()
{
    return Driver{test::book_of(preset("rdma-nic")), test::port_inventory(1),
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
    EXPECT_EQ(d.story(), (Story{"100 nic_latched Ethernet0 proven", "100 do mute_pause Ethernet0"}));
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
    d.receive(Notice::Kind::link_down, d.target());
    EXPECT_EQ(d.story(), Story{});
    d.order(Order::Kind::stop);
    EXPECT_EQ(d.story(), Story{"1200100 order_taken stop by ann operator"});
    EXPECT_EQ(d.phase(), Phase::latched) << "a latch survives the watchdog";
    EXPECT_EQ(d.in_effect(), Treatment::mute_pause);
    d.order(Order::Kind::release, d.target(), "ann");
    EXPECT_EQ(d.story(), Story{"1200100 order_taken release by ann operator"});
    d.order(Order::Kind::repaired, d.target(), "ann");
    EXPECT_EQ(d.story(), (Story{"1200100 order_taken repaired by ann operator", "1200100 do none Ethernet0",
                                "1200100 storm_released Ethernet0 operator"}));
}

// --- pause too long: the port's own status

TEST(PauseTooLong, SetAndClearedOnThePort)
{
    Driver d{test::book_of(preset("pause-too-long")), test::port_inventory(1), test::able(bit(Field::pause_timeout))};
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
    Driver d{test::book_of(preset("pause-too-long")), test::port_inventory(1), test::able(bit(Field::pause_timeout))};
    d.queue().counters[Field::pause_timeout] = 1;
    d.run_ms(10);
    d.story();
    d.queue().counters[Field::pause_timeout] = 0;
    d.queue().readable = false;
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{});
}

// A stop undoes the treatment. The node still pauses, so the port is in error until a look shows the status clear.
TEST(PauseTooLong, AStopDoesNotEndTheError)
{
    const auto book = test::book_of(preset("pause-too-long"));
    for (const bool goes_on : {false, true}) {
        Driver d{book, test::port_inventory(1), test::able(bit(Field::pause_timeout))};
        d.queue().counters[Field::pause_timeout] = 1;
        d.run_ms(10);
        d.story();
        d.order(Order::Kind::stop);
        EXPECT_EQ(d.story(), (Story{"10 order_taken stop by ann operator", "10 do none Ethernet0"}));
        EXPECT_TRUE(d.dog().idle());
        EXPECT_EQ(d.in_effect(), Treatment::none);
        EXPECT_EQ(d.phase(), Phase::alerted);
        d.run_ms(100);
        EXPECT_EQ(d.story(), Story{}) << "a stopped watchdog does not treat the port again";

        d.queue().counters[Field::pause_timeout] = goes_on ? 1 : 0;
        d.restart(book);
        EXPECT_EQ(d.story(), Story{});
        d.run_ms(10);
        if (goes_on) {
            EXPECT_EQ(d.story(), (Story{"120 pause_too_long Ethernet0 proven", "120 do squeeze Ethernet0"}));
            d.queue().counters[Field::pause_timeout] = 0;
            d.run_ms(10);
            EXPECT_EQ(d.story(), (Story{"130 do none Ethernet0", "130 pause_too_long_cleared Ethernet0 quiet"}));
        } else {
            EXPECT_EQ(d.story(), Story{"120 pause_too_long_cleared Ethernet0 quiet"});
        }
        EXPECT_EQ(d.stats().detected, 1U);
        EXPECT_EQ(d.stats().restored, 1U);
    }
}

TEST(PauseTooLong, AStopDoesNotEndAnErrorThatIsNotTreated)
{
    auto policy = preset("pause-too-long");
    policy.action = Treatment::none;
    Driver d{test::book_of(policy), test::port_inventory(1), test::able(bit(Field::pause_timeout))};
    d.queue().counters[Field::pause_timeout] = 1;
    d.run_ms(10);
    d.story();
    d.order(Order::Kind::stop);
    EXPECT_EQ(d.story(), Story{"10 order_taken stop by ann operator"});
    EXPECT_EQ(d.phase(), Phase::alerted);
}

// With stop_and_hold the treatment stays in force, so nothing is over.
TEST(PauseTooLong, AStopThatHoldsEndsNothing)
{
    const auto book = test::book_of(preset("pause-too-long"));
    Driver d{book, test::port_inventory(1), test::able(bit(Field::pause_timeout))};
    d.queue().counters[Field::pause_timeout] = 1;
    d.run_ms(10);
    d.story();
    d.order(Order::Kind::stop_and_hold);
    EXPECT_EQ(d.story(), Story{"10 order_taken stop_and_hold by ann operator"});
    EXPECT_EQ(d.in_effect(), Treatment::squeeze);
}

// An agent that finds its treatment gone cannot know whether the node still pauses: a look decides.
TEST(PauseTooLong, ATreatmentThatIsGoneAtTheStartDoesNotEndTheError)
{
    const auto book = test::book_of(preset("pause-too-long"));
    Driver d{book, test::port_inventory(1), test::able(bit(Field::pause_timeout))};
    d.queue().counters[Field::pause_timeout] = 1;
    d.run_ms(10);
    d.story();
    d.restart(book);
    d.dog().adopt(d.target(), Treatment::none, false, d.now(), d.out());
    d.run_ms(20);
    EXPECT_THAT(d.story(), testing::Each(testing::Not(testing::HasSubstr("cleared"))));
    EXPECT_EQ(d.in_effect(), Treatment::squeeze) << "the status is still set";
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

TEST(LinkDown, ANoticeRestoresAMitigatedQueueAtOnce)
{
    Driver d{preset("sonic")};
    detect(d);
    d.run_ms(37);
    d.receive(Notice::Kind::link_down, {d.target().port, std::nullopt});
    EXPECT_EQ(d.story(), (Story{"437 do none Ethernet0:3", "437 storm_restored Ethernet0:3 link_down"}));
}

TEST(LinkDown, EndsAnAlertAndAProbe)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    Driver alert{policy};
    alert.storm();
    alert.run_ms(400);
    alert.receive(Notice::Kind::link_down, alert.target());
    EXPECT_EQ(alert.story(), (Story{"400 storm_alert Ethernet0:3 proven", "400 storm_restored Ethernet0:3 link_down"}));

    Driver probe{with_probe()};
    detect(probe);
    calm_between_reads(probe);
    probe.run_ms(2'000);
    probe.story();
    probe.receive(Notice::Kind::link_down, probe.target());
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
    d.run_ms(400);  // the first interval of the new link begins at its first read
    EXPECT_EQ(d.story(), (Story{"900 storm_detected Ethernet0:3 proven", "900 do drop Ethernet0:3"}));
}

TEST(LinkUp, ChangesNothing)
{
    Driver d{preset("sonic")};
    detect(d);
    d.receive(Notice::Kind::link_up, d.target());
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::mitigated);
}

// --- a large switch

TEST(LargeSwitch, EveryQueueIsWatched)
{
    constexpr std::uint32_t kPorts = 2'100;
    for (const auto queue : {1'023U, 1'024U, kPorts - 1}) {
        Driver d{test::book_of(preset("sonic")), test::small_inventory(kPorts)};
        d.storm(queue);
        d.run_ms(400);
        EXPECT_EQ(d.phase(queue), Phase::mitigated) << queue;
    }
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

TEST(BlastRadius, AStormThatIsMitigatedAfterARestartHasTheProofOfItsBegin)
{
    Driver d{limited(1), test::small_inventory(2)};
    d.storm(0);
    d.storm(1);
    d.run_ms(400);
    ASSERT_EQ(d.phase(1), Phase::alerted);
    d.restart(test::book_of(preset("sonic")));
    d.story();
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"500 storm_detected Ethernet4:3 proven", "500 do drop Ethernet4:3"}));
    const auto& evidence = d.last(EventKind::storm_detected).evidence;
    EXPECT_EQ(evidence.limit, std::chrono::milliseconds{400});
    EXPECT_EQ(evidence.proven, std::chrono::milliseconds{400});
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
    d.receive(Notice::Kind::link_down, d.target(0));
    EXPECT_EQ(d.story(), (Story{"1000 do none Ethernet0:3", "1000 storm_restored Ethernet0:3 link_down"}));
    EXPECT_EQ(d.phase(1), Phase::alerted);
}

TEST(BlastRadius, AShortPauseOfAWithheldQueueIsNotMitigatedWhenTheBudgetFrees)
{
    Driver d{limited(1), test::small_inventory(2)};
    d.storm(0);
    d.storm(1);
    d.run_ms(400);
    d.story();
    d.calm(1);
    d.run_ms(200);
    d.storm(1);
    d.run_ms(200);
    d.receive(Notice::Kind::link_down, d.target(0));
    EXPECT_EQ(d.story(), (Story{"800 do none Ethernet0:3", "800 storm_restored Ethernet0:3 link_down"}));
    d.run_ms(300);
    EXPECT_EQ(d.story(), (Story{"1100 storm_detected Ethernet4:3 proven", "1100 do drop Ethernet4:3"}))
        << "the pause fills all intervals since 700 ms";
}

TEST(BlastRadius, TheLimitCountsQueuesBeingRestored)
{
    Driver d{limited(1), test::small_inventory(2)};
    d.storm(0);
    d.run_ms(400);
    d.stays_silent();
    d.receive(Notice::Kind::link_down, d.target(0));
    d.story();
    d.storm(1);
    d.run_ms(400);
    EXPECT_EQ(d.story(),
              (Story{"800 storm_alert Ethernet4:3 blast_radius", "800 storm_escalated Ethernet4:3 blast_radius"}))
        << "the device has not reported that the first one is restored";
}

// --- a port-wide treatment

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

TEST(PortWide, IsReportedRestoredOnlyWithThePort)
{
    auto policy = port_wide();
    policy.release = Release::forced;
    policy.restore = milliseconds{1'000};
    Driver d{test::book_of(policy), one_port()};
    d.storm(0);
    d.run_ms(500);
    d.storm(1);
    d.run_ms(300);
    d.story();
    d.calm(0);
    d.calm(1);
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), (Story{"1750 do none Ethernet0", "1750 storm_restored Ethernet0:3 forced",
                                "1750 storm_restored Ethernet0:4 forced"}));
}

TEST(PortWide, SurvivesANewConfigurationOfItsNeighbour)
{
    auto by_queue = port_wide();
    by_queue.action = Treatment::drop;
    Driver d{test::book_of(by_queue), one_port()};
    d.storm(0);
    d.run_ms(300);
    d.story();
    d.change(test::book_of(port_wide()));
    EXPECT_EQ(d.in_effect(0), Treatment::lossless_off);
    EXPECT_EQ(d.phase(0), Phase::mitigated);
}

TEST(BlastRadius, WithheldQueueIsNotOverWhileItStorms)
{
    auto book = test::book_of(preset("sonic"));
    book.max_mitigated = 1;
    auto can = test::able(bit(Field::pause_state));
    can.survive = 0;
    Driver d{book, test::small_inventory(2), can};
    d.storm(0);
    d.storm(1);
    d.run_ms(1'500);
    EXPECT_EQ(d.phase(1), Phase::alerted);
    d.story();
    d.run_ms(900);
    for (const auto& line : d.story()) {
        EXPECT_EQ(line.find("storm_restored Ethernet4:3"), std::string::npos) << line;
    }
}

// --- the device detects storms

Driver by_device(Policy policy = preset("sai"))
{
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
    EXPECT_EQ(d.story(), Story{}) << "the state of the queue is not needed";
    d.receive(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.story(), Story{"1000 storm_detected Ethernet0:3 device"});
    EXPECT_EQ(d.phase(), Phase::mitigated);
    d.receive(Notice::Kind::detected, d.target());
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{});
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{"11000 storm_restored Ethernet0:3 device"});
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{});
    EXPECT_TRUE(d.commands().empty()) << "the device treats the queue itself";
    EXPECT_EQ(d.stats().detected, 1U);
    EXPECT_EQ(d.stats().restored, 1U);
}

TEST(DeviceCriterion, TheDevicesOwnTreatmentIsShownInEffect)
{
    auto d = by_device();
    d.receive(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.events().back().action, Treatment::drop_egress) << "a switch that recovers drops at the queue";
    EXPECT_EQ(d.dog().in_effect(Slot{0}), Treatment::drop_egress);
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.events().back().action, Treatment::drop_egress);
    EXPECT_EQ(d.dog().in_effect(Slot{0}), Treatment::none);
}

TEST(DeviceCriterion, AStormThatEndsUnderTheBigRedSwitchIsClosed)
{
    auto d = by_device();
    d.receive(Notice::Kind::detected, d.target());
    d.order(Order::Kind::red_switch_on);
    d.story();
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), (Story{"0 storm_restored Ethernet0:3 device", "0 do drop_egress Ethernet0:3"}));
    d.order(Order::Kind::red_switch_off);
    EXPECT_EQ(d.phase(), Phase::watching);
    EXPECT_EQ(d.dog().in_effect(Slot{0}), Treatment::none);
}

TEST(DeviceCriterion, APersonsReleaseReachesTheDevice)
{
    auto d = by_device();
    d.receive(Notice::Kind::detected, d.target());
    d.order(Order::Kind::release, d.target());
    ASSERT_EQ(d.commands().size(), 1U);
    EXPECT_EQ(d.commands().back().want, Treatment::none);
    EXPECT_EQ(d.phase(), Phase::watching);
    d.receive(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.phase(), Phase::mitigated) << "a storm that goes on is reported again";
}

TEST(DeviceCriterion, AHeldQueueIsTreatedByCommandUntilReleased)
{
    auto d = by_device();
    d.receive(Notice::Kind::detected, d.target());
    d.order(Order::Kind::hold, d.target());
    ASSERT_EQ(d.commands().size(), 1U);
    EXPECT_EQ(d.commands().back().want, Treatment::drop_egress);
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.phase(), Phase::latched);
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.commands().back().want, Treatment::none);
    EXPECT_EQ(d.phase(), Phase::watching);
}

TEST(DeviceCriterion, AStormOfItsEndsWhereAnotherDecidesFromNowOn)
{
    auto d = by_device();
    d.storm();
    d.receive(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.story(), Story{"0 storm_detected Ethernet0:3 device"});
    d.change(test::book_of(preset("sai")));
    EXPECT_EQ(d.story(), (Story{"0 storm_restored Ethernet0:3 reconfigured", "0 do none Ethernet0:3"}));
    d.run_ms(1'000);
    EXPECT_EQ(d.phase(), Phase::mitigated) << "by what is seen";
    EXPECT_EQ(d.events().back().reason, Reason::proven);
}

TEST(DeviceCriterion, LinkDownEndsTheStorm)
{
    auto d = by_device();
    d.receive(Notice::Kind::detected, d.target());
    d.receive(Notice::Kind::link_down, d.target());
    EXPECT_EQ(d.story(), (Story{"0 storm_detected Ethernet0:3 device", "0 storm_restored Ethernet0:3 link_down"}));
}

TEST(DeviceCriterion, AStormWhoseEndIsNotReportedIsClosedAfterTwiceT1OfQuiet)
{
    auto d = by_device();
    d.storm();
    d.receive(Notice::Kind::detected, d.target());
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{"0 storm_detected Ethernet0:3 device"}) << "the storm goes on";
    d.calm();
    d.run_ms(400);  // sai polls every 50 ms, T1 = 200 ms
    EXPECT_EQ(d.story(), Story{}) << "the device may still report it";
    d.run_ms(50);
    EXPECT_EQ(d.story(), (Story{"1450 storm_restored Ethernet0:3 quiet", "1450 do none Ethernet0:3"}));
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{});
    d.receive(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.story(), Story{"1450 storm_detected Ethernet0:3 device"});
}

// A device whose shortest recovery is longer than T1 (`clip`).
TEST(DeviceCriterion, ADeviceThatRecoversForLongerThanT1GetsTwiceItsOwnTime)
{
    auto d = by_device();
    d.storm();
    d.receive(Notice::Kind::detected, d.target(), std::chrono::milliseconds{500});
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{"0 storm_detected Ethernet0:3 device"});
    auto same = preset("sai");
    same.criterion = Criterion::device;
    d.change(test::book_of(same));
    d.restart(test::book_of(same));
    d.calm();
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), Story{}) << "the device may still report it";
    d.run_ms(50);
    EXPECT_EQ(d.story(), (Story{"2050 storm_restored Ethernet0:3 quiet", "2050 do none Ethernet0:3"}));
    d.storm();
    d.receive(Notice::Kind::detected, d.target());
    d.calm();
    d.run_ms(450);
    EXPECT_EQ(d.story(), (Story{"2050 storm_detected Ethernet0:3 device", "2450 storm_restored Ethernet0:3 quiet",
                                "2450 do none Ethernet0:3"}));
}

// A device whose longest recovery is shorter than T1 (`clip`).
TEST(DeviceCriterion, ADeviceThatRecoversForLessThanT1GetsTwiceItsOwnTime)
{
    auto policy = preset("sai");
    policy.restore = std::chrono::seconds{5};
    auto d = by_device(policy);
    d.storm();
    d.receive(Notice::Kind::detected, d.target(), std::chrono::milliseconds{100});
    d.run_ms(100);
    d.calm();
    d.run_ms(200);
    EXPECT_EQ(d.story(), Story{"0 storm_detected Ethernet0:3 device"}) << "the device may still report it";
    d.run_ms(50);
    EXPECT_EQ(d.story(), (Story{"350 storm_restored Ethernet0:3 quiet", "350 do none Ethernet0:3"}));
}

TEST(DeviceCriterion, AStormWithoutSignalsIsClosedIfTheNoticeIsOverdue)
{
    auto policy = preset("sai");
    policy.criterion = Criterion::device;
    auto can = test::able(bit(Field::pause_state));
    can.survive = 0;
    can.detects_itself = true;
    Driver d{policy, 1, can};
    d.storm();
    d.receive(Notice::Kind::detected, d.target());
    d.run_ms(399);
    EXPECT_EQ(d.story(), Story{"0 storm_detected Ethernet0:3 device"});
    d.run_ms(1);
    EXPECT_EQ(d.story(), (Story{"400 do none Ethernet0:3", "400 storm_restored Ethernet0:3 probe"}));
}

TEST(DeviceCriterion, NoticesMeanNothingToOtherPolicies)
{
    Driver d{preset("sonic")};
    d.receive(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.story(), Story{});
    detect(d);
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{});
}

TEST(DeviceCriterion, NoticeForAQueueThatDoesNotExistIsIgnored)
{
    auto d = by_device();
    d.receive(Notice::Kind::detected, {PortId{DeviceId{}, 99}, Priority{3}});
    d.receive(Notice::Kind::detected, {PortId{DeviceId{}, 0}, Priority{6}});
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

TEST(SmallOutbox, ReportsThatDecisionsWait)
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
    EXPECT_EQ(out.events.size(), 1U) << "a storm needs room for all its events";
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
    d.receive(Notice::Kind::detected, {d.target().port, std::nullopt});
    EXPECT_EQ(d.story(), (Story{"0 storm_detected Ethernet0:3 device", "0 storm_detected Ethernet0:4 device"}));
}

}  // namespace
}  // namespace petrel
