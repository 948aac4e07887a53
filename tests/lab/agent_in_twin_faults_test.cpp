// Faults around an agent in simulated time: device calls that are slow, fail or return wrong values, a process that
// dies, links that go down.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/agent_in_twin_fabric.hpp"

namespace petrel::test {
namespace {

using device::FaultyDevice;
using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::Order;
using watchdog::Reason;
using watchdog::Treatment;
using When = scenario::KillAgent::When;

struct Stormed {
    explicit Stormed(const AgentInTwin::Options& options = {}, const watchdog::PolicyBook& policies = book("sonic"))
        : twin{build(one_switch())}, agent{agent_on(*twin, kSwitch, policies, options)}
    {
        stop_pipeline(*twin, kSick, kFault);
    }
    bool dropping() const { return (twin->switch_view(kSwitch).registers(0).discard_egress & 0b1000U) != 0; }
    bool untouched() const { return twin->switch_view(kSwitch).registers(0) == before; }

    std::unique_ptr<twin::Twin> twin;
    std::unique_ptr<AgentInTwin> agent;
    twin::PortRegisters before{twin->switch_view(kSwitch).registers(0)};
};

TEST(AgentInTwinFaults, AWriteTakesEffectWhenItIsDone)
{
    AgentInTwin::Options slow;
    slow.look_takes = std::chrono::milliseconds{7};
    slow.command_takes = std::chrono::milliseconds{30};
    Stormed s{slow};
    s.twin->run_until(700 * kMs);
    ASSERT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected"));
    const auto found = twin::from_instant(s.agent->events()[0].at);

    Stormed again{slow};
    again.twin->run_until(found + 30 * kMs);
    EXPECT_FALSE(again.dropping());
    again.twin->run_until(found + 30 * kMs + 1);
    EXPECT_TRUE(again.dropping());
    EXPECT_EQ(again.agent->agent()->counters().looks_overdue, 0U);
    EXPECT_EQ(again.agent->agent()->counters().polls_missed, 0U);
}

AgentInTwin::Options acting_after_30_ms()
{
    AgentInTwin::Options later;
    later.traits.acts_later = true;
    later.acts_after = std::chrono::milliseconds{30};
    return later;
}

TEST(AgentInTwinFaults, AWriteThatIsAwaitedTakesEffect)
{
    Stormed s{acting_after_30_ms()};
    s.twin->run_until(700 * kMs);
    EXPECT_TRUE(s.dropping());
    EXPECT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected"));
}

TEST(AgentInTwinFaults, AWriteThatIsNotAwaitedTakesEffectLater)
{
    Stormed s{acting_after_30_ms()};
    s.twin->run_until(700 * kMs);
    const auto found = twin::from_instant(s.agent->events().at(0).at);

    Stormed killed{acting_after_30_ms()};
    killed.agent->kill(100 * kMs, {When::in_command, device::FaultPoint::applied});
    killed.twin->run_until(found + 30 * kMs);
    EXPECT_FALSE(killed.dropping());
    killed.twin->run_until(found + 30 * kMs + 1);
    EXPECT_TRUE(killed.dropping());
}

TEST(AgentInTwinFaults, AWriteThatIsDelayedByAFaultIsNotAwaited)
{
    Stormed s{acting_after_30_ms()};
    s.agent->writes_take_effect_after(std::chrono::milliseconds{50}, 0);
    s.twin->run_until(700 * kMs);
    ASSERT_THAT(kinds_of(*s.agent), testing::Contains("mitigation_failed"));
    EXPECT_EQ(s.agent->events()[1].reason, watchdog::Reason::timed_out);
    EXPECT_TRUE(s.dropping()) << "a later try finds the effect of the first one";
}

TEST(AgentInTwinFaults, LooksSlowerThanThePollAreOverdueAndStillUsed)
{
    AgentInTwin::Options slow;
    slow.look_takes = std::chrono::milliseconds{150};
    Stormed s{slow};
    s.twin->run_until(1'500 * kMs);
    EXPECT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected"));
    EXPECT_GT(s.agent->agent()->counters().looks_overdue, 5U);
    EXPECT_LE(s.agent->agent()->counters().looks, 1'500U / 150U);
}

TEST(AgentInTwinFaults, ALateAnswerIsReportedAndTheWriteTakesEffect)
{
    AgentInTwin::Options stuck;
    stuck.command_takes = std::chrono::milliseconds{1'300};
    Stormed s{stuck};
    s.twin->run_until(1'700 * kMs);
    ASSERT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected", "mitigation_failed"));
    EXPECT_EQ(s.agent->events()[1].reason, Reason::timed_out);
    EXPECT_EQ(s.agent->events()[1].at - s.agent->events()[0].at, std::chrono::seconds{1});
    EXPECT_FALSE(s.dropping());
    s.twin->run_until(2'000 * kMs);
    EXPECT_TRUE(s.dropping());
}

TEST(AgentInTwinFaults, AFailedWriteIsRetried)
{
    Stormed s;
    s.agent->faults().next(FaultyDevice::Call::apply, FaultyDevice::Fault::fail, 2);
    s.twin->run_until(1'000 * kMs);
    EXPECT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected", "mitigation_failed", "mitigation_failed"));
    EXPECT_TRUE(s.agent->faults().done());
    EXPECT_TRUE(s.dropping());
    EXPECT_GT(delivered(*s.twin, kVictim, 1'000 * kMs, 1'100 * kMs), kPacketsIn100ms);
}

TEST(AgentInTwinFaults, ARefusedTreatmentIsReplacedByAWeakerOne)
{
    Stormed s{{}, book("rdma-switch")};
    s.agent->faults().next(FaultyDevice::Call::apply, FaultyDevice::Fault::refuse);
    s.twin->run_until(600 * kMs);
    EXPECT_EQ(s.twin->switch_view(kSwitch).registers(0).lossless_off, 0);
    EXPECT_TRUE(s.dropping());
    EXPECT_GT(delivered(*s.twin, kVictim, 600 * kMs, 700 * kMs), kPacketsIn100ms);
    heal_pipeline(*s.twin, kSick, 700 * kMs);
    s.twin->run_until(1'100 * kMs);
    EXPECT_EQ(s.agent->events().back().kind, EventKind::storm_restored);
    EXPECT_TRUE(s.untouched());
}

TEST(AgentInTwinFaults, ADifferentReadBackIsReportedAndRetried)
{
    Stormed s;
    s.twin->at(kSwitch, 1, [&](Ps) { s.agent->faults().lie_next(Treatment::none); });  // after the reads at start
    s.twin->run_until(800 * kMs);
    ASSERT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected", "mitigation_failed"));
    EXPECT_EQ(s.agent->events()[1].reason, Reason::differs);
    EXPECT_TRUE(s.dropping());
    EXPECT_EQ(s.agent->agent()->watchdog().in_effect(Slot{0}), Treatment::drop);
}

TEST(AgentInTwinFaults, LooksThatFailProveNothing)
{
    Stormed s;
    s.agent->faults().next(FaultyDevice::Call::look, FaultyDevice::Fault::fail, 1'000);
    s.twin->run_until(900 * kMs);
    EXPECT_THAT(s.agent->events(), IsEmpty());
    EXPECT_EQ(s.agent->agent()->counters().looks_failed, s.agent->agent()->counters().looks);
    EXPECT_GT(s.agent->agent()->counters().looks, 8U);
}

TEST(AgentInTwinLife, AKilledProcessLeavesItsMitigationAndTheNextOneEndsIt)
{
    Stormed s;
    s.agent->kill(700 * kMs);
    heal_pipeline(*s.twin, kSick, 1'000 * kMs);
    s.twin->run_until(4'000 * kMs);
    EXPECT_EQ(s.agent->agent(), nullptr);
    EXPECT_TRUE(s.dropping());  // h0 receives nothing although it is healthy: no agent runs to restore the queue

    s.agent->start(4'000 * kMs);
    s.twin->run_until(5'900 * kMs);
    EXPECT_TRUE(s.dropping());  // the new agent has to prove quiet again
    s.twin->run_until(6'200 * kMs);
    EXPECT_TRUE(s.untouched());
    EXPECT_EQ(s.agent->events().back().kind, EventKind::storm_restored);
    EXPECT_GT(delivered(*s.twin, kToSick, 6'200 * kMs, 6'300 * kMs), kPacketsIn100ms);
}

TEST(AgentInTwinLife, AStormThatGoesOnKeepsItsMitigationAcrossARestart)
{
    Stormed s;
    s.agent->kill(700 * kMs);
    s.agent->start(900 * kMs);
    EXPECT_GT(delivered(*s.twin, kVictim, 800 * kMs, 900 * kMs), kPacketsIn100ms);
    EXPECT_GT(delivered(*s.twin, kVictim, 900 * kMs, 4'000 * kMs), 31 * kPacketsIn100ms - 100);
    EXPECT_TRUE(s.dropping());
    EXPECT_TRUE(events_of(*s.agent, EventKind::storm_restored).empty());
}

TEST(AgentInTwinLife, ACommandUnderWayDiesWithTheProcess)
{
    AgentInTwin::Options slow;
    slow.command_takes = std::chrono::milliseconds{30};
    Stormed s{slow};
    s.twin->run_until(600 * kMs);
    const auto found = twin::from_instant(s.agent->events().at(0).at);
    Stormed killed{slow};
    killed.agent->kill(found + 10 * kMs);
    killed.twin->run_until(1'000 * kMs);
    EXPECT_TRUE(killed.untouched());
}

// The process dies in its first command, which mitigates the queue. Device and journal keep exactly what the command
// has done by then, and the next process finds the storm and ends it.
TEST(AgentInTwinLife, ADeathWithinAMitigationKeepsTheStepsThatAreDone)
{
    using Step = device::FaultPoint;
    for (const auto step : {Step::before_prepare, Step::prepared, Step::journaled, Step::applied, Step::read_back}) {
        SCOPED_TRACE(device::name(step));
        Stormed s{{}, book("sonic", {{"restore_ms", "200"}})};
        s.agent->kill(100 * kMs, {When::in_command, step});
        heal_pipeline(*s.twin, kSick, 700 * kMs);
        s.twin->run_until(700 * kMs);
        EXPECT_EQ(s.agent->device_runner(), nullptr);
        EXPECT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected"));
        EXPECT_EQ(s.agent->disk().journaled().size(), step >= Step::journaled ? 1U : 0U);
        EXPECT_EQ(s.dropping(), step >= Step::applied);
        EXPECT_NE(s.untouched(), step >= Step::applied);

        s.agent->start(700 * kMs);
        s.twin->run_until(1'200 * kMs);
        EXPECT_TRUE(s.untouched());
        EXPECT_THAT(s.agent->disk().journaled(), IsEmpty());
        EXPECT_EQ(events_of(*s.agent, EventKind::storm_restored).size(), 1U);
    }
}

TEST(AgentInTwinLife, ADeathWithinARestoreKeepsTheStepsThatAreDone)
{
    using Step = device::FaultPoint;
    for (const auto step : {Step::before_prepare, Step::prepared, Step::applied, Step::read_back, Step::closed}) {
        SCOPED_TRACE(device::name(step));
        Stormed s{{}, book("sonic", {{"restore_ms", "200"}})};
        s.agent->kill(600 * kMs, {When::in_command, step});
        heal_pipeline(*s.twin, kSick, 650 * kMs);
        s.twin->run_until(1'100 * kMs);
        EXPECT_EQ(s.agent->device_runner(), nullptr);
        EXPECT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected"));
        EXPECT_EQ(s.agent->disk().journaled().size(), step < Step::closed ? 1U : 0U);
        EXPECT_EQ(s.dropping(), step < Step::applied);

        s.agent->start(1'100 * kMs);
        s.twin->run_until(1'600 * kMs);
        EXPECT_TRUE(s.untouched());
        EXPECT_THAT(s.agent->disk().journaled(), IsEmpty());
        EXPECT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected", "storm_restored"));
    }
}

// The history has the event, no follower of events does, and the command did not go out.
TEST(AgentInTwinLife, ADeathAfterTheWriteOfTheStatePublishesNothing)
{
    Stormed s{{}, book("sonic", {{"restore_ms", "200"}})};
    s.agent->kill(100 * kMs, {When::remembered, {}});
    heal_pipeline(*s.twin, kSick, 700 * kMs);
    s.twin->run_until(700 * kMs);
    EXPECT_EQ(s.agent->device_runner(), nullptr);
    EXPECT_THAT(s.agent->events(), IsEmpty());
    EXPECT_TRUE(s.untouched());
    EXPECT_FALSE(s.agent->disk().state.empty());

    s.agent->start(700 * kMs);
    s.twin->run_until(1'200 * kMs);
    EXPECT_TRUE(s.untouched());
    EXPECT_EQ(s.agent->device_runner()->memory().events().size(), s.agent->events().size() + 1);
}

// A start ends the wait for the step.
TEST(AgentInTwinLife, AProcessThatStartsDoesNotDieAtTheStepOfTheLastOne)
{
    Stormed s;
    s.agent->kill(100 * kMs, {When::in_command, device::FaultPoint::journaled});
    s.agent->start(150 * kMs);
    s.twin->run_until(900 * kMs);
    EXPECT_TRUE(s.dropping());
    EXPECT_NE(s.agent->device_runner(), nullptr);
}

TEST(AgentInTwinLife, OrdersAreTakenAndAStopUndoesAll)
{
    Stormed s;
    s.agent->order({Order::Kind::mitigate, queue_to(kSwitch, 3), "test"}, 100 * kMs + 1);
    s.agent->order({Order::Kind::stop, std::nullopt, "test"}, 900 * kMs);
    s.twin->run_until(200 * kMs);
    EXPECT_EQ(s.twin->switch_view(kSwitch).registers(3).discard_egress, 0b1000);
    s.twin->run_until(1'000 * kMs);
    EXPECT_TRUE(s.agent->agent()->stopped());
    EXPECT_TRUE(s.untouched());
    EXPECT_EQ(s.twin->switch_view(kSwitch).registers(3), s.before);
    const auto looks = s.agent->agent()->counters().looks;
    s.twin->run_until(2'000 * kMs);
    EXPECT_EQ(s.agent->agent()->counters().looks, looks);
}

// The agent uses the wall clock only for dates that it shows: here that of the journal entry.
TEST(AgentInTwinFaults, AStepOfTheWallClockIsSeenInDatesAlone)
{
    const auto begun = [](Stormed& s) {
        s.twin->run_until(700 * kMs);
        return s.agent->disk().journaled().at(0).since;
    };
    Stormed calm;
    Stormed stepped;
    stepped.agent->step_wall_clock(std::chrono::hours{-2}, 100 * kMs);
    EXPECT_EQ(begun(stepped) - begun(calm), std::chrono::hours{-2});
    EXPECT_EQ(stepped.agent->events().at(0).at, calm.agent->events().at(0).at);
}

TEST(AgentInTwinLife, ALinkThatGoesDownEndsTheStorm)
{
    Stormed s;
    s.twin->cut(0, 800 * kMs);  // the link of h0
    s.twin->repair(0, 1'000 * kMs);
    s.twin->run_until(900 * kMs);
    ASSERT_THAT(kinds_of(*s.agent), ElementsAre("storm_detected", "storm_restored"));
    EXPECT_EQ(s.agent->events()[1].reason, Reason::link_down);
    EXPECT_LE(ms(s.agent->events()[1].at), 800.001);  // from a notice of the device, not from the next poll
    EXPECT_TRUE(s.untouched());
    s.twin->run_until(1'600 * kMs);
    EXPECT_EQ(s.agent->events().back().kind, EventKind::storm_detected);  // the NIC is still stopped
    EXPECT_GE(ms(s.agent->events().back().at), 1'000 + 400);
}

}  // namespace
}  // namespace petrel::test
