// The effect of each outcome of a command, for mitigating and restoring: the assumed treatment, the events, the time of
// the retry, and the weaker treatments after a refusal.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::Answer;
using test::Driver;
using test::preset;
using test::Story;

// A sonic queue whose storm is detected at 400 ms.
void storm_until_t0(Driver& d)
{
    d.storm();
    d.run_ms(400);
}

// --- mitigate

TEST(MitigateOutcome, ConfirmedIsInEffect)
{
    Driver d{preset("sonic")};
    d.stays_silent();
    storm_until_t0(d);
    EXPECT_EQ(d.phase(), Phase::mitigating) << "not yet answered";
    EXPECT_EQ(d.in_effect(), Treatment::none);
    EXPECT_FALSE(d.dog().idle());
    d.settle(d.commands().at(0), {Verdict::confirmed, Treatment::drop, ""});
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.in_effect(), Treatment::drop);
    EXPECT_TRUE(d.dog().idle());
}

TEST(MitigateOutcome, CommandNamesItsCauseAndDeadline)
{
    Driver d{preset("sonic")};
    storm_until_t0(d);
    const auto& command = d.commands().at(0);
    EXPECT_EQ(command.cause, d.last(EventKind::storm_detected).seq);
    EXPECT_EQ(command.target, d.target());
    EXPECT_GT(command.deadline, d.now());
}

TEST(MitigateOutcome, FailedIsReportedAndRetriedWithBackOff)
{
    Driver d{preset("sonic")};
    d.answer = [](const Command&) { return Answer{Verdict::failed, Treatment::none, "bus error"}; };
    storm_until_t0(d);
    d.run_ms(1'600);
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3",
                                "400 mitigation_failed Ethernet0:3 failed",  //
                                "500 do drop Ethernet0:3", "500 mitigation_failed Ethernet0:3 failed",
                                "700 do drop Ethernet0:3", "700 mitigation_failed Ethernet0:3 failed",
                                "1100 do drop Ethernet0:3", "1100 mitigation_failed Ethernet0:3 failed",
                                "1900 do drop Ethernet0:3", "1900 mitigation_failed Ethernet0:3 failed"}));
    EXPECT_EQ(d.last(EventKind::mitigation_failed).by, "bus error");
    EXPECT_EQ(d.last(EventKind::mitigation_failed).action, Treatment::drop);
    EXPECT_EQ(d.phase(), Phase::mitigating);
}

TEST(MitigateOutcome, BackOffStopsGrowingAtTenSeconds)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::failed);
    storm_until_t0(d);
    d.run_ms(100'000);
    const auto before = d.commands().size();
    d.run_ms(30'000);
    EXPECT_EQ(d.commands().size() - before, 3U);
}

TEST(MitigateOutcome, SuccessAfterAFailureIsSettled)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::failed);
    storm_until_t0(d);
    d.answers(Verdict::confirmed);
    d.story();
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{"500 do drop Ethernet0:3"});
    EXPECT_EQ(d.phase(), Phase::mitigated);
}

TEST(MitigateOutcome, TimedOutIsUnknownAndRetried)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::timed_out);
    storm_until_t0(d);
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3",
                                "400 mitigation_failed Ethernet0:3 timed_out"}));
    EXPECT_EQ(d.phase(), Phase::mitigating);
    d.answers(Verdict::confirmed);
    d.run_ms(100);
    EXPECT_EQ(d.story(), Story{"500 do drop Ethernet0:3"});
}

// A device that is slower than its storms must not fill the log with its tries.
TEST(MitigateOutcome, TimeOutsInARowAreReportedLessAndLessOften)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::timed_out);
    storm_until_t0(d);
    d.run_ms(300'000);
    const auto tries = d.commands().size();
    EXPECT_GE(tries, 32U);
    EXPECT_LT(tries, 64U);
    EXPECT_EQ(std::ranges::count(d.events(), EventKind::mitigation_failed, &watchdog::Event::kind), 4)
        << "the first, the 8th, 16th and 32nd";
}

TEST(MitigateOutcome, ATimeOutAfterAnotherFailureIsReported)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::timed_out);
    storm_until_t0(d);
    d.answers(Verdict::failed);
    d.run_ms(100);
    d.answers(Verdict::timed_out);
    d.story();
    d.run_ms(1'000);
    EXPECT_EQ(d.story(), (Story{"700 do drop Ethernet0:3", "700 mitigation_failed Ethernet0:3 timed_out",
                                "1100 do drop Ethernet0:3"}));
}

TEST(MitigateOutcome, AfterATimeOutTheRestoreIsStillCommanded)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::timed_out);
    storm_until_t0(d);
    d.answers(Verdict::confirmed);
    d.story();
    d.receive(Notice::Kind::link_down, d.target());
    d.run_ms(200);
    EXPECT_EQ(d.story(), (Story{"400 do none Ethernet0:3", "400 storm_restored Ethernet0:3 link_down"}))
        << "the treatment may have reached the device";
}

TEST(MitigateOutcome, DiffersAssumesTheReadBackAndRetries)
{
    Driver d{preset("sonic")};
    d.answer = [](const Command&) { return Answer{Verdict::differs, Treatment::ignore_pause, ""}; };
    storm_until_t0(d);
    EXPECT_EQ(d.story().back(), "400 mitigation_failed Ethernet0:3 differs");
    EXPECT_EQ(d.in_effect(), Treatment::ignore_pause);
    EXPECT_EQ(d.phase(), Phase::mitigating);
    d.answers(Verdict::confirmed);
    d.run_ms(100);
    EXPECT_EQ(d.story(), Story{"500 do drop Ethernet0:3"});
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

TEST(MitigateOutcome, RefusedTriesWeakerTreatments)
{
    Driver d{preset("sonic")};
    d.answer = [](const Command& c) {
        return Answer{c.want == Treatment::drop || c.want == Treatment::drop_egress ? Verdict::refused
                                                                                    : Verdict::confirmed,
                      Treatment::none, "no such table"};
    };
    storm_until_t0(d);
    EXPECT_EQ(d.story(), (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3",
                                "400 mitigation_failed Ethernet0:3 refused", "400 do drop_egress Ethernet0:3",
                                "400 mitigation_failed Ethernet0:3 refused", "400 do ignore_pause Ethernet0:3"}));
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.in_effect(), Treatment::ignore_pause);
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{}) << "a refused treatment is not tried again in this storm";
    d.calm();
    d.run_ms(2'200);
    EXPECT_EQ(d.in_effect(), Treatment::none);
}

TEST(MitigateOutcome, EverythingRefusedIsEscalatedAndStaysAnAlert)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::refused);
    storm_until_t0(d);
    EXPECT_EQ(d.story(),
              (Story{"400 storm_detected Ethernet0:3 proven", "400 do drop Ethernet0:3",
                     "400 mitigation_failed Ethernet0:3 refused", "400 do drop_egress Ethernet0:3",
                     "400 mitigation_failed Ethernet0:3 refused", "400 do ignore_pause Ethernet0:3",
                     "400 mitigation_failed Ethernet0:3 refused", "400 storm_escalated Ethernet0:3 refused"}));
    EXPECT_EQ(d.phase(), Phase::alerted);
    EXPECT_EQ(d.in_effect(), Treatment::none);
    d.run_ms(50);
    d.calm();
    d.run_ms(2'050);
    EXPECT_EQ(d.story(), Story{"2500 storm_restored Ethernet0:3 quiet"});
}

// A retry would drop the packets of a healthy queue.
TEST(MitigateOutcome, AFailedTreatmentIsNotTriedAgainAfterTheStorm)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::failed);
    storm_until_t0(d);
    d.run_ms(50);
    d.calm();
    d.story();
    d.run_ms(150);
    d.story();  // one look has proven quiet
    d.answers(Verdict::confirmed);
    d.run_ms(1'800);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(200);
    EXPECT_EQ(d.story(), (Story{"2500 do none Ethernet0:3", "2500 storm_restored Ethernet0:3 quiet"}));
}

// Quiet does not end such a mitigation, so the treatment is still wanted.
TEST(MitigateOutcome, AFailedTreatmentThatOnlyAnOperatorEndsIsTriedAgainAfterTheStorm)
{
    auto policy = preset("sonic");
    policy.release = Release::manual;
    Driver d{policy};
    d.answers(Verdict::failed);
    storm_until_t0(d);
    d.run_ms(50);
    d.calm();
    d.run_ms(150);  // one look has proven quiet
    d.answers(Verdict::confirmed);
    d.story();
    d.run_ms(10'000);
    EXPECT_EQ(d.story(), Story{"700 do drop Ethernet0:3"});
    EXPECT_EQ(d.phase(), Phase::mitigated);
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.commands().back().want, Treatment::none);
    EXPECT_EQ(d.phase(), Phase::watching);
}

TEST(MitigateOutcome, AFailedTreatmentIsTriedAgainIfTheStormReturns)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::failed);
    storm_until_t0(d);
    d.run_ms(50);
    d.calm();
    d.run_ms(550);
    d.answers(Verdict::confirmed);
    d.story();
    d.storm();
    d.run_ms(100);
    EXPECT_EQ(d.story(), Story{"1100 do drop Ethernet0:3"});
}

TEST(MitigateOutcome, TheNextStormTriesARefusedTreatmentAgain)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::refused);
    storm_until_t0(d);
    d.run_ms(50);
    d.calm();
    d.run_ms(2'050);
    d.answers(Verdict::confirmed);
    d.story();
    d.storm();
    d.run_ms(400);
    EXPECT_EQ(d.story(), (Story{"2900 storm_detected Ethernet0:3 proven", "2900 do drop Ethernet0:3"}));
}

// ---- a NIC that refuses

Driver refusing_nic(bool port_down_if_refused = false)
{
    auto policy = preset("rdma-nic");
    policy.port_down_if_refused = port_down_if_refused;
    return Driver{test::book_of(policy), test::port_inventory(1),
                  test::able(bit(Field::rx_packets) | bit(Field::pause_tx))};
}

// At 100 Gbit/s it takes 27 frames to hold a switch for 10 ms, and the first such interval does not count yet.
void hold_its_switch(Driver& d, std::int64_t ms)
{
    for (std::int64_t t = 0; t != ms; t += 10) {
        d.queue().counters[Field::pause_tx] += 27;
        d.run_ms(10);
    }
}

void refuse(Driver& d, Treatments refused)
{
    d.answer = [=](const Command& command) {
        return test::Answer{has(refused, command.want) ? Verdict::refused : Verdict::confirmed, command.want, ""};
    };
}

const Story kRefusedAtOnce{"110 nic_latched Ethernet0 proven", "110 do mute_pause Ethernet0",
                           "110 mitigation_failed Ethernet0 refused", "110 storm_escalated Ethernet0 refused",
                           "110 close_switch_port Ethernet0 refused"};

TEST(RefusingNic, IsEscalatedAndItsSwitchIsAskedFor)
{
    auto d = refusing_nic();
    d.answers(Verdict::refused);
    hold_its_switch(d, 110);
    EXPECT_EQ(d.story(), kRefusedAtOnce);
    EXPECT_EQ(d.phase(), Phase::alerted) << "a treatment that was never applied is not latched";
}

TEST(RefusingNic, ItsPortGoesDownIfThePolicyPermitsIt)
{
    auto d = refusing_nic(true);
    refuse(d, bit(Treatment::mute_pause));
    hold_its_switch(d, 110);
    EXPECT_EQ(d.story(), (Story{"110 nic_latched Ethernet0 proven", "110 do mute_pause Ethernet0",
                                "110 mitigation_failed Ethernet0 refused", "110 do port_down Ethernet0"}));
    EXPECT_EQ(d.phase(), Phase::latched);
    EXPECT_EQ(d.in_effect(), Treatment::port_down);
    d.order(Order::Kind::repaired, d.target());
    EXPECT_EQ(d.in_effect(), Treatment::none);

    refuse(d, bit(Treatment::mute_pause) | bit(Treatment::port_down));
    d.story();
    hold_its_switch(d, 110);
    EXPECT_EQ(d.story(), (Story{"210 nic_latched Ethernet0 proven", "210 do mute_pause Ethernet0",
                                "210 mitigation_failed Ethernet0 refused", "210 do port_down Ethernet0",
                                "210 mitigation_failed Ethernet0 refused", "210 storm_escalated Ethernet0 refused",
                                "210 close_switch_port Ethernet0 refused"}));
}

// After 1 s, 2 s, 4 s ..., without another event until it obeys.
TEST(RefusingNic, IsTreatedOnceItObeys)
{
    for (const bool port_down : {false, true}) {
        auto d = refusing_nic(port_down);
        refuse(d, bit(Treatment::mute_pause) | bit(Treatment::port_down));
        hold_its_switch(d, 110);
        d.story();
        hold_its_switch(d, 7'000);
        const Story one{"1110 do mute_pause Ethernet0", "3110 do mute_pause Ethernet0", "7110 do mute_pause Ethernet0"};
        const Story two{"1110 do mute_pause Ethernet0", "1110 do port_down Ethernet0",  "3110 do mute_pause Ethernet0",
                        "3110 do port_down Ethernet0",  "7110 do mute_pause Ethernet0", "7110 do port_down Ethernet0"};
        EXPECT_EQ(d.story(), port_down ? two : one);
        EXPECT_EQ(d.phase(), Phase::alerted);
        refuse(d, 0);
        hold_its_switch(d, 8'010);
        EXPECT_EQ(d.story(), (Story{"15110 do mute_pause Ethernet0", "15110 nic_latched Ethernet0 proven"}));
        EXPECT_EQ(d.phase(), Phase::latched);
        EXPECT_EQ(d.stats().detected, 1U) << "it is the same storm";
        d.order(Order::Kind::repaired, d.target());
        EXPECT_EQ(d.phase(), Phase::watching);
    }
}

TEST(RefusingNic, ItsPortGoesDownAtOnceIfNothingElseIsPossible)
{
    auto policy = preset("rdma-nic");
    policy.port_down_if_refused = true;
    auto can = test::able(bit(Field::rx_packets) | bit(Field::pause_tx));
    can.treatments = bit(Treatment::port_down);
    Driver d{test::book_of(policy), test::port_inventory(1), can};
    hold_its_switch(d, 110);
    EXPECT_EQ(d.story(), (Story{"110 nic_latched Ethernet0 proven", "110 do port_down Ethernet0"}));
}

// It may have stopped its pause for the time of the stall, so that the clock would never be full.
TEST(StallingNic, ThatFindsItsStallItselfIsTreatedAtOnce)
{
    auto d = refusing_nic();
    d.receive(Notice::Kind::detected, d.target());
    EXPECT_EQ(d.story(), (Story{"0 nic_latched Ethernet0 device", "0 do mute_pause Ethernet0"}));
    d.receive(Notice::Kind::detected, d.target());
    d.receive(Notice::Kind::recovered, d.target());
    EXPECT_EQ(d.story(), Story{});
    EXPECT_EQ(d.phase(), Phase::latched);
}

TEST(RefusingNic, IsNotTriedAgainAfterItsStorm)
{
    auto d = refusing_nic();
    d.answers(Verdict::refused);
    hold_its_switch(d, 110);
    d.story();
    d.queue().counters[Field::rx_packets] += 1;
    d.answers(Verdict::confirmed);
    d.run_ms(60'000);
    EXPECT_EQ(d.story(), Story{"120 storm_restored Ethernet0 quiet"});
}

TEST(RefusingNic, WaitsAtMostAboutAMinuteForTheNextTry)
{
    auto d = refusing_nic();
    d.answers(Verdict::refused);
    hold_its_switch(d, 600'000);
    d.story();
    d.answers(Verdict::confirmed);
    hold_its_switch(d, 64'010);
    EXPECT_EQ(d.phase(), Phase::latched);
}

TEST(ReceiveStall, APauseFrameNowAndThenIsNoStall)
{
    Driver d{test::book_of(preset("rdma-nic")), test::port_inventory(1),
             test::able(bit(Field::rx_packets) | bit(Field::pause_tx))};
    for (int i = 0; i < 100; ++i) {
        d.queue().counters[Field::pause_tx] += 26;
        d.run_ms(10);
    }
    EXPECT_EQ(d.story(), Story{});
}

TEST(MitigateOutcome, OutcomeOfAnotherCommandIsIgnored)
{
    Driver d{preset("sonic")};
    d.stays_silent();
    storm_until_t0(d);
    auto stale = d.commands().at(0);
    stale.id += 1ULL << 32U;
    d.settle(stale, {Verdict::confirmed, Treatment::drop, ""});
    stale.id = ~0ULL;
    d.settle(stale, {Verdict::confirmed, Treatment::drop, ""});
    EXPECT_EQ(d.phase(), Phase::mitigating);
    d.settle(d.commands().at(0), {});
    d.settle(d.commands().at(0), {Verdict::failed, Treatment::none, ""});
    EXPECT_EQ(d.phase(), Phase::mitigated) << "an answer counts once";
}

TEST(MitigateOutcome, StormThatEndsWhileTheCommandIsUnderwayIsStillUndone)
{
    Driver d{preset("sonic")};
    d.stays_silent();
    storm_until_t0(d);
    d.receive(Notice::Kind::link_down, d.target());
    EXPECT_EQ(d.commands().size(), 1U) << "a site has one command in flight";
    EXPECT_EQ(d.phase(), Phase::restoring);
    d.answers(Verdict::confirmed);
    d.story();
    d.settle(d.commands().at(0), {});
    EXPECT_EQ(d.story(), (Story{"400 do none Ethernet0:3", "400 storm_restored Ethernet0:3 link_down"}));
    EXPECT_EQ(d.in_effect(), Treatment::none);
}

// --- accepted: no read-back, so the effect must be visible

TEST(AcceptedOutcome, CountsAsInEffectUntilShownOtherwise)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::accepted);
    storm_until_t0(d);
    EXPECT_EQ(d.phase(), Phase::mitigated);
    EXPECT_EQ(d.in_effect(), Treatment::drop);
}

// How long the watchdog waits for an effect on a port with this many stuck queues.
std::int64_t patience_us(std::uint32_t stuck)
{
    auto inventory = test::small_inventory(1);
    for (std::uint8_t more = 1; more < stuck; ++more) {
        inventory.rows.push_back(inventory.rows[0]);
        inventory.rows.back().target.priority = Priority{static_cast<std::uint8_t>(3 + more)};
    }
    auto policy = preset("rdma-switch");
    policy.priorities = 0xff;
    Driver d{test::book_of(policy), inventory};
    d.answers(Verdict::accepted);
    for (std::uint32_t row = 0; row < stuck; ++row) {
        d.queue(row).counters[Field::occupancy] = 5'000;
        d.storm(row);
    }
    d.run_ms(2'000);
    return whole_us(d.last(EventKind::mitigation_failed).at) - whole_us(d.last(EventKind::storm_detected).at);
}

TEST(AcceptedOutcome, SeveralStuckQueuesOfAPortAreNoLessPatientThanOne) { EXPECT_EQ(patience_us(4), patience_us(1)); }

TEST(AcceptedOutcome, WithoutVisibleEffectIsAFailureAndCommandedAgain)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::accepted);
    d.queue().counters[Field::occupancy] = 5'000;  // a backlog that neither drains nor is dropped
    storm_until_t0(d);
    d.story();
    d.run_ms(300);
    EXPECT_EQ(d.story(), Story{});
    d.run_ms(200);
    EXPECT_EQ(d.story(), (Story{"800 mitigation_failed Ethernet0:3 no_effect", "900 do drop Ethernet0:3"}));
}

TEST(AcceptedOutcome, DropsOrPacketsShowTheEffect)
{
    for (const auto moves : {Field::tx_drops, Field::tx_packets}) {
        Driver d{preset("sonic")};
        d.answers(Verdict::accepted);
        d.queue().counters[Field::occupancy] = 5'000;
        storm_until_t0(d);
        d.run_ms(300);
        d.queue().counters[moves] += 1;
        d.run_ms(10'000);
        d.story();
        EXPECT_EQ(d.commands().size(), 1U) << name(moves);
    }
}

TEST(AcceptedOutcome, EmptyQueueIsNoSignOfFailure)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::accepted);
    storm_until_t0(d);
    d.run_ms(10'000);
    EXPECT_EQ(d.commands().size(), 1U);
}

TEST(AcceptedOutcome, ConfirmedNeedsNoWatching)
{
    Driver d{preset("sonic")};
    d.queue().counters[Field::occupancy] = 5'000;
    storm_until_t0(d);
    d.run_ms(10'000);
    EXPECT_EQ(d.commands().size(), 1U);
}

// --- restore

void begin_restoring(Driver& d)
{
    storm_until_t0(d);
    d.run_ms(50);
    d.calm();
    d.run_ms(1'950);
    d.story();
}

struct FailedRestore {
    Verdict verdict{};
    Reason reported{};
};

class RestoreOutcome : public testing::TestWithParam<FailedRestore> {};

TEST_P(RestoreOutcome, RetriesAndReportsAFailedRestore)
{
    Driver d{preset("sonic")};
    begin_restoring(d);
    d.answer = [](const Command&) { return Answer{GetParam().verdict, Treatment::drop, ""}; };
    d.run_ms(300);
    const std::string failed = "restore_failed Ethernet0:3 " + std::string{name(GetParam().reported)};
    Story story{"2500 do none Ethernet0:3", "2500 " + failed, "2600 do none Ethernet0:3"};
    if (GetParam().reported != Reason::timed_out) {
        story.push_back("2600 " + failed);  // a second time-out is no news
    }
    EXPECT_EQ(d.story(), story);
    EXPECT_EQ(d.phase(), Phase::restoring);
    EXPECT_EQ(d.last(EventKind::restore_failed).action, Treatment::none);
    d.answers(Verdict::confirmed);
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"2800 do none Ethernet0:3", "2800 storm_restored Ethernet0:3 quiet"}));
}

INSTANTIATE_TEST_SUITE_P(Each, RestoreOutcome,
                         testing::Values(FailedRestore{Verdict::refused, Reason::refused},
                                         FailedRestore{Verdict::failed, Reason::failed},
                                         FailedRestore{Verdict::differs, Reason::differs},
                                         FailedRestore{Verdict::timed_out, Reason::timed_out}),
                         [](const auto& one) { return std::string{name(one.param.reported)}; });

TEST(RestoreOutcomes, AcceptedEndsIt)
{
    Driver d{preset("sonic")};
    begin_restoring(d);
    d.answers(Verdict::accepted);
    d.run_ms(100);
    EXPECT_EQ(d.story(), (Story{"2500 do none Ethernet0:3", "2500 storm_restored Ethernet0:3 quiet"}));
}

TEST(RestoreOutcomes, NoRestoreIsReportedBeforeTheDeviceShowsIt)
{
    Driver d{preset("sonic")};
    begin_restoring(d);
    d.stays_silent();
    d.run_ms(2'000);
    EXPECT_EQ(d.story(), Story{"2500 do none Ethernet0:3"});
    EXPECT_EQ(d.phase(), Phase::restoring);
    d.settle(d.commands().back(), {});
    EXPECT_EQ(d.story(), Story{"4400 storm_restored Ethernet0:3 quiet"});
}

TEST(RestoreOutcomes, AMissingOutcomeIsRetried)
{
    Driver d{preset("sonic")};
    begin_restoring(d);
    d.stays_silent();
    d.run_ms(2'300);
    EXPECT_EQ(d.story(), (Story{"2500 do none Ethernet0:3", "4500 restore_failed Ethernet0:3 timed_out",
                                "4600 do none Ethernet0:3"}));
}

// --- a refused treatment of the whole port

struct PortDriver : Driver {
    PortDriver() : Driver(test::book_of(policy()), inventory()) {}
    static Policy policy()
    {
        auto p = preset("rdma-switch");
        p.needs_backlog = false;
        return p;
    }
    static Inventory inventory()
    {
        auto two = test::small_inventory(1);
        two.rows.push_back(two.rows[0]);
        two.rows[1].target.priority = Priority{4};
        return two;
    }
    void refuse_port_treatment()
    {
        answer = [](const Command& c) {
            return Answer{c.want == Treatment::lossless_off ? Verdict::refused : Verdict::confirmed, Treatment::none,
                          ""};
        };
    }
};

TEST(PortRefuses, QueueGoesOnWithAWeakerTreatmentOfItsOwn)
{
    PortDriver d;
    d.refuse_port_treatment();
    d.storm(0);
    d.run_ms(250);
    EXPECT_EQ(d.story(), (Story{"250 storm_detected Ethernet0:3 proven", "250 do lossless_off Ethernet0",
                                "250 mitigation_failed Ethernet0 refused", "250 do drop Ethernet0:3"}));
    EXPECT_EQ(d.in_effect(0), Treatment::drop);
    EXPECT_EQ(d.in_effect(1), Treatment::none);
}

TEST(PortRefuses, AnotherQueueOfThePortIsTreated)
{
    PortDriver d;
    d.refuse_port_treatment();
    d.storm(0);
    d.run_ms(250);
    d.storm(1);
    d.run_ms(250);
    EXPECT_EQ(d.in_effect(1), Treatment::drop);
    for (const auto& command : d.commands()) {
        EXPECT_EQ(command.target.priority.has_value(), command.want != Treatment::lossless_off)
            << "a treatment of queues is never commanded to the port";
    }
}

TEST(PortRefuses, TheNextStormIsTreated)
{
    PortDriver d;
    d.refuse_port_treatment();
    d.storm(0);
    d.run_ms(275);
    d.calm(0);
    d.run_ms(1'000);
    ASSERT_EQ(d.phase(0), Phase::watching);
    d.storm(0);
    d.run_ms(325);
    EXPECT_EQ(d.phase(0), Phase::mitigated);
    EXPECT_EQ(d.in_effect(0), Treatment::drop);
    EXPECT_EQ(d.in_effect(1), Treatment::none) << "a treatment of one queue is never commanded to the port";
}

TEST(PortRefuses, RefusalOfEverythingIsReportedOnTheNextStorm)
{
    PortDriver d;
    d.answers(Verdict::refused);
    d.storm(0);
    d.run_ms(275);
    d.calm(0);
    d.run_ms(1'000);
    ASSERT_EQ(d.phase(0), Phase::watching);
    d.story();
    d.storm(0);
    d.run_ms(325);
    EXPECT_EQ(d.phase(0), Phase::alerted) << "no treatment is in effect: the queue must not show as mitigated";
    EXPECT_EQ(d.story().back(), "1500 storm_escalated Ethernet0:3 refused");
}

// A device may accept a write and show it later.
TEST(MitigateOutcome, AWriteThatDoesNotShowIsRestoredWhenItIsNotWantedAnyMore)
{
    Driver d{preset("sonic")};
    d.answers(Verdict::differs);
    d.order(Order::Kind::mitigate, d.target());
    ASSERT_EQ(d.commands().back().want, Treatment::drop);
    d.answers(Verdict::confirmed);
    d.order(Order::Kind::release, d.target());
    EXPECT_EQ(d.commands().back().want, Treatment::none);
    EXPECT_TRUE(d.dog().idle());
}

}  // namespace
}  // namespace petrel
