// An agent on a NIC of Linux with the policy rdma-nic: a receive pipeline that is stuck, what must not be taken for
// one, restarts, and other programs. The NIC and the disk outlive the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_linux/nic_host.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using watchdog::Order;

TEST(LinuxAgent, TurnsPfcOffOnceWhenTheReceivePipelineIsStuck)
{
    Host host;
    host.nic.bounces = true;
    auto process = host.process();
    process.run_until(at(1s));
    EXPECT_THAT(host.nic.writes, IsEmpty());

    host.nic.set(false, true);
    process.run_until(at(1090ms));
    EXPECT_THAT(host.nic.writes, IsEmpty()) << "before 100 ms of proof";
    process.run_until(at(1130ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven"));
    EXPECT_EQ(host.disk.journaled().size(), 1U);

    process.run_until(at(2s));
    host.nic.set(true, false);  // works again; it was not repaired
    process.run_until(at(600s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven", "link_down device", "link_up device"))
        << "the write took the link down and up";
    EXPECT_EQ(process.openings(), 1U);
}

TEST(LinuxAgent, AReleasePutsBackWhatWasConfigured)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    host.nic.set(true, false);
    process.repaired();
    process.run_until(at(2s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x08"));
    EXPECT_EQ(host.nic.pfc, (nic::Pfc{0b0000'1000, 8, false, 0}));
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

TEST(LinuxAgent, ALatchOutlivesTheProcessWithoutAnotherWrite)
{
    Host host;
    {
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(1s));
    }
    auto next = host.process();
    next.run_until(at(60s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    host.nic.set(true, false);
    next.repaired();
    next.run_until(at(61s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x08"));
}

TEST(LinuxAgent, AStopDoesNotEndALatch)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    process.order(Order::Kind::stop);
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
    EXPECT_EQ(host.disk.journaled().size(), 1U);
}

TEST(LinuxAgent, ALatchIsAppliedAgainAfterAReloadOfTheDriver)
{
    Host host;
    {
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(1s));
    }
    host.nic.pfc->enabled = 0b0000'1000;
    host.nic.link = {9, 1, true};
    auto next = host.process();
    next.run_until(at(2s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x00"));
}

TEST(LinuxAgent, ALatchIsAppliedAgainIfAnotherProgramTurnsPfcOn)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    host.nic.turn_pfc_on();
    host.nic.changes = {};  // no notification: the check of each second finds it
    process.run_until(at(2200ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x00"));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
    EXPECT_EQ(process.openings(), 1U);
    EXPECT_THAT(process.notes, Contains(HasSubstr("has undone the treatment of the latched NIC once")));
}

TEST(LinuxAgent, ANotificationAppliesTheLatchAgainAtOnce)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    host.nic.turn_pfc_on();
    process.device().receive_notices();
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x00"));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
}

// At once, then after 1 s, 2 s, 4 s, 8 s, and every 10 s.
TEST(LinuxAgent, AFightWithAnotherProgramIsBoundedAndShown)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    for (auto now = 1000ms; now != 101s; now += 100ms) {
        host.nic.turn_pfc_on();
        process.device().receive_notices();
        process.run_until(at(now + 100ms));
    }
    EXPECT_THAT(host.nic.writes, testing::SizeIs(testing::AllOf(testing::Ge(13U), testing::Le(15U))));
    EXPECT_THAT(process.notes,
                Contains(HasSubstr("repeatedly (10 so far): it is written again, at most once in 10 s")));
    process.run_until(at(30s + 101s));
    EXPECT_EQ(host.nic.pfc->enabled, 0) << "the last word is the agent's";
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven"));
}

TEST(LinuxAgent, ADriverThatNoLongerObeysIsReportedByTheAgent)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    host.nic.refuses = ErrorKind::unsupported;
    host.nic.turn_pfc_on();
    process.run_until(at(20s));
    EXPECT_THAT(process.events(), Contains("close_switch_port refused"));
    host.nic.refuses.reset();
    process.run_until(at(100s));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
}

TEST(LinuxAgent, WithoutItsMemoryAnAgentPutsBackWhatTheJournalHolds)
{
    Host host;
    {
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(1s));
    }
    host.nic.set(true, false);
    host.disk.state.clear();
    auto next = host.process();
    next.run_until(at(10s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x08"));
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

TEST(LinuxAgent, TurnsPauseOfTheLinkOffWherePfcIsNotUsed)
{
    Host host;
    host.nic.pfc = std::nullopt;
    host.nic.pause = nic::LinkPause{false, true, true};
    auto process = host.process();
    process.run_until(at(1s));
    host.nic.set(false, true);
    process.run_until(at(2s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pause tx off"));
    EXPECT_TRUE(host.nic.pause->receives);
    process.repaired();
    process.run_until(at(2050ms));
    EXPECT_EQ(host.nic.pause, (nic::LinkPause{false, true, true}));
}

TEST(LinuxAgent, ShortStallsAreNoStorm)
{
    Host host;
    auto process = host.process();
    for (auto now = 250ms; now < 5s; now += 250ms) {
        process.run_until(at(now));
        host.nic.set(false, true);
        process.run_until(at(now + 60ms));
        host.nic.set(true, false);
    }
    EXPECT_THAT(process.events(), IsEmpty());
    EXPECT_THAT(host.nic.writes, IsEmpty());
}

TEST(LinuxAgent, ALinkThatChangesBeginsANewProof)
{
    Host host;
    auto process = host.process();
    process.run_until(at(1s));
    host.nic.set(false, true);
    process.run_until(at(1060ms));
    host.nic.link.changes += 2;
    process.run_until(at(1155ms));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    process.run_until(at(1200ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
}

TEST(LinuxAgent, CountersThatRestartBeginANewProof)
{
    Host host;
    auto process = host.process();
    process.run_until(at(1s));
    host.nic.set(false, true);
    process.run_until(at(1060ms));
    host.nic.grow();
    host.nic.paused_us = {};
    host.nic.received = 1;
    process.run_until(at(1155ms));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    process.run_until(at(1200ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
}

TEST(LinuxAgent, PauseWithProgressAndIdleNicsAreNoStorm)
{
    for (const bool pauses : {true, false}) {
        Host host;
        host.nic.set(pauses, pauses);
        auto process = host.process();
        process.run_until(at(10s));
        EXPECT_THAT(process.events(), IsEmpty());
        EXPECT_THAT(host.nic.writes, IsEmpty());
    }
}

TEST(LinuxAgent, ANicWhosePauseIsOffByConfigurationIsLeftAlone)
{
    Host host;
    host.nic.pfc->enabled = 0;
    auto process = host.process();
    process.run_until(at(5s));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

TEST(LinuxAgent, ReportsADriverThatRefuses)
{
    Host host;
    host.nic.refuses = ErrorKind::unsupported;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    EXPECT_THAT(process.events(), Contains(StartsWith("mitigation_failed")));
    EXPECT_EQ(host.nic.pfc->enabled, 0b0000'1000);
}

TEST(LinuxAgent, ReportsADriverThatIgnoresTheWrite)
{
    Host host;
    host.nic.ignores = true;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven", "mitigation_failed refused",
                                              "storm_escalated refused", "close_switch_port refused"));
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

// ---- the further rungs

TEST(LinuxAgent, ANicWhoseDriverObeysLaterIsTreatedInTheSameStorm)
{
    for (const bool ignores : {true, false}) {
        Host host;
        host.nic.ignores = ignores;
        host.nic.refuses = ignores ? std::nullopt : std::optional{ErrorKind::denied};
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(30s));
        EXPECT_EQ(host.nic.pfc->enabled, 0b0000'1000);
        host.nic.ignores = false;
        host.nic.refuses.reset();
        process.run_until(at(63s));
        EXPECT_EQ(host.nic.pfc->enabled, 0);
        EXPECT_EQ(process.events().back(), "nic_latched proven");
        host.nic.set(true, false);
        process.repaired();
        process.run_until(at(64s));
        EXPECT_EQ(host.nic.pfc->enabled, 0b0000'1000);
        EXPECT_EQ(host.disk.journaled().size(), 0U);
    }
}

TEST(LinuxAgent, TheInterfaceGoesDownIfThePolicyPermitsIt)
{
    Host host;
    host.policy.port_down_if_refused = true;
    host.nic.refuses = ErrorKind::unsupported;
    {
        auto process = host.process();
        host.nic.set(false, true);
        process.run_until(at(1s));
        EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "down"));
        EXPECT_FALSE(host.nic.link.enabled);
    }
    auto next = host.process();
    next.run_until(at(60s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "down")) << "it stays down";
    host.nic.set(true, false);
    host.nic.refuses.reset();
    next.repaired();
    next.run_until(at(61s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "down", "up"));
    EXPECT_TRUE(host.nic.link.enabled);
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

TEST(LinuxAgent, AnInterfaceThatAnOperatorTookDownStaysDown)
{
    Host host;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(1s));
    host.nic.link.enabled = host.nic.link.up = false;
    ++host.nic.link.changes;
    process.run_until(at(5s));
    process.repaired();
    process.run_until(at(10s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x08"));
    EXPECT_FALSE(host.nic.link.enabled);
}

TEST(LinuxAgent, ATreatmentThatIsRefusedInPartLeavesNothingBehind)
{
    Host host;
    host.nic.pause = nic::LinkPause{false, true, true};
    host.nic.refuses_pause = true;
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(500ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pause tx off", "pfc 0x08"));
    EXPECT_EQ(host.disk.journaled().size(), 0U);
}

// ---- only what is stuck

TEST(LinuxAgent, OnlyThePriorityThatIsStuckIsMuted)
{
    Host host;
    host.nic.pfc->enabled = 0b0001'1000;
    host.nic.pausing = 0b0000'1000;
    {
        auto process = host.process();
        process.run_until(at(500ms));
        host.nic.set(false, true);
        process.run_until(at(10s));
        EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x10"));
    }
    auto next = host.process();
    next.run_until(at(20s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x10")) << "a restart writes nothing";

    host.nic.grow();
    host.nic.pausing = 0b0001'1000;
    next.run_until(at(20050ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x10"));
    next.run_until(at(20200ms));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x10", "pfc 0x00")) << "the other priority is stuck, too";
    host.nic.set(true, false);
    next.repaired();
    next.run_until(at(21s));
    EXPECT_EQ(host.nic.pfc->enabled, 0b0001'1000);
}

TEST(LinuxAgent, WhatWasConfiguredMeanwhileIsPutBack)
{
    Host host;
    auto process = host.process();
    process.run_until(at(5s));
    host.nic.turn_pfc_on(0b0001'0000);
    host.nic.set(false, true);
    process.run_until(at(6s));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
    host.nic.set(true, false);
    process.repaired();
    process.run_until(at(7s));
    EXPECT_EQ(host.nic.pfc->enabled, 0b0001'0000);
}

// ---- the NIC's own stall prevention

TEST(LinuxAgent, ArmsTheStallPreventionOfTheNicThatItWatches)
{
    struct Case {
        std::optional<int> before;
        std::optional<int> after;
        std::string_view note;
    };
    for (const auto& [before, after, note] :
         {Case{8000, 100, "is armed: 100 ms, was 8000 ms"}, Case{0, 100, "is armed: 100 ms, was off"}, Case{80, 80, ""},
          Case{65535, 65535, ""}, Case{std::nullopt, std::nullopt, ""}}) {
        Host host;
        const auto ms = [](std::optional<int> number) {
            return number ? std::optional{nic::Prevention{*number}} : std::nullopt;
        };
        host.nic.prevention = ms(before);
        auto process = host.process();
        process.run_until(at(1s));
        EXPECT_EQ(host.nic.prevention, ms(after));
        if (note.empty()) {
            EXPECT_THAT(process.notes, IsEmpty());
        } else {
            EXPECT_THAT(process.notes, ElementsAre(HasSubstr(note)));
        }
    }
}

TEST(LinuxAgent, ArmsItAgainAfterAReloadOfTheDriver)
{
    Host host;
    host.nic.prevention = nic::Prevention{100};
    auto process = host.process();
    process.run_until(at(1s));
    host.nic.prevention = nic::Prevention{8000};
    host.nic.link.index = 9;
    process.run_until(at(2s));
    EXPECT_EQ(host.nic.prevention, nic::Prevention{100});
}

TEST(LinuxAgent, ReportsAPreventionThatCannotBeArmed)
{
    Host host;
    host.nic.prevention = nic::Prevention{8000};
    host.nic.prevention_refused = true;
    auto process = host.process();
    process.run_until(at(1s));
    EXPECT_THAT(process.notes, ElementsAre(HasSubstr("cannot be armed: the fake NIC refuses")));
}

// It stops its pause for the time of the stall, so that no other counter shows the stall.
TEST(LinuxAgent, AStallThatTheNicFindsItselfLatchesIt)
{
    Host host;
    host.nic.storms = 3;
    auto process = host.process();
    process.run_until(at(1s));
    ++host.nic.storms;
    process.run_until(at(1050ms));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched device"));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
}

// ---- RDMA

TEST(LinuxAgent, ANicThatReceivesOnlyForRdmaIsHealthy)
{
    Host host;
    host.nic.rdma = {{"rx_write_requests", 5}, {"out_of_buffer", 0}};
    auto process = host.process();
    host.nic.set(false, true);
    for (auto now = 20ms; now != 2s; now += 20ms) {
        process.run_until(at(now));
        host.nic.rdma[0].value += 3;
    }
    EXPECT_THAT(process.events(), IsEmpty());
    process.run_until(at(3s));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven")) << "now RDMA receives nothing either";
}

// ---- a port that others share

TEST(LinuxAgent, ANicIsHealthyIfAnotherMemberOfItsBondReceives)
{
    Host host;
    host.nic.sharing.bonded = {"eth1"};
    host.nic.received_by_bonded = 7;
    auto process = host.process();
    host.nic.set(false, true);
    for (auto now = 20ms; now != 2s; now += 20ms) {
        process.run_until(at(now));
        host.nic.received_by_bonded += 3;
    }
    EXPECT_THAT(process.events(), IsEmpty());
    process.run_until(at(3s));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven")) << "now no member receives";
}

// mlx5_core does not count what a virtual function receives.
TEST(LinuxAgent, ANicIsMonitoredOnlyWhileItHasVirtualFunctions)
{
    Host host;
    auto process = host.process();
    process.run_until(at(1s));
    EXPECT_THAT(process.device().unseen_queues(), IsEmpty());
    host.nic.sharing.functions = true;
    process.run_until(at(3s));
    host.nic.set(false, true);
    process.run_until(at(8s));
    EXPECT_THAT(process.events(), IsEmpty());
    ASSERT_THAT(process.device().unseen_queues(), testing::SizeIs(1));
    EXPECT_THAT(process.device().unseen_queues()[0].why, HasSubstr("virtual functions"));
    host.nic.sharing.functions = false;
    process.run_until(at(10s));
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven"));
}

// ---- links

TEST(LinuxAgent, ALinkThatGoesDownHasTheReasonOfTheDriver)
{
    Host host;
    auto process = host.process();
    process.run_until(at(2s));
    host.nic.link.up = false;
    ++host.nic.link.changes;
    host.nic.link_reason = nic::LinkReason{5, 1};
    process.run_until(at(5s));
    ++host.nic.link.changes;
    host.nic.link.up = true;
    process.run_until(at(8s));
    EXPECT_THAT(process.events(), ElementsAre("link_down device", "link_up device"));
    EXPECT_THAT(process.details().front(), HasSubstr("(ethtool.ext 5.1 = 0x0303 MEDIA_UNSUPPORTED)"));
}

TEST(LinuxAgent, ADriverWithOldCountersDetectsLaterAndNotWrongly)
{
    Host host;
    host.nic.driver = "bnxt_en";
    host.nic.refresh = 1s;
    auto process = host.process();
    host.nic.set(true, true);
    process.run_until(at(20s));
    EXPECT_THAT(process.events(), IsEmpty()) << "it pauses and receives";

    host.nic.set(false, true);
    process.run_until(at(21900ms));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    process.run_until(at(26s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
}

// Every other poll reads the counters of the poll before. They are no sign that the pause has ended.
TEST(LinuxAgent, CountersThatWereReadBeforeAreNoNewSample)
{
    Host host;
    host.nic.driver = "bnxt_en";
    host.nic.refresh = 1100ms;
    auto process = host.process();
    process.run_until(at(10s));
    host.nic.set(false, true);
    process.run_until(at(25s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
}

// `ethtool -C eth0 stats-block-usecs 250000`
TEST(LinuxAgent, ADriverThatIsSetToRenewItsCountersMoreOftenDetectsEarlier)
{
    Host host;
    host.nic.driver = "bnxt_en";
    host.nic.refresh = 250ms;
    host.nic.statistics_interval = 1s;
    auto process = host.process();
    process.run_until(at(5s));
    host.nic.statistics_interval = 250ms;
    process.run_until(at(20s));
    EXPECT_EQ(process.openings(), 2U) << "the detection time is another one";
    host.nic.set(false, true);
    process.run_until(at(20400ms));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    process.run_until(at(21s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00"));
}

TEST(LinuxAgent, ANicWhoseCountersAreNeverRenewedIsMonitoredOnly)
{
    Host host;
    host.nic.driver = "bnxt_en";
    host.nic.statistics_interval = 0s;
    auto process = host.process();
    process.run_until(at(2s));
    ASSERT_THAT(process.device().unseen_queues(), testing::SizeIs(1));
    EXPECT_THAT(process.device().unseen_queues()[0].why, HasSubstr("stats-block-usecs is 0"));
}

TEST(LinuxAgent, MonitorsAnUnknownDriverOnlyAndSaysSo)
{
    Host host;
    host.nic.driver = "veth";
    auto process = host.process();
    host.nic.set(false, true);
    process.run_until(at(5s));
    EXPECT_THAT(host.nic.writes, IsEmpty());
    EXPECT_THAT(process.notes, ElementsAre(HasSubstr("monitored only")));
    const auto unseen = process.device().unseen_queues();
    ASSERT_EQ(unseen.size(), 1U);
    EXPECT_EQ(unseen[0].queue, "eth0");
    EXPECT_THAT(unseen[0].why, HasSubstr("'veth' are unknown"));
}

TEST(LinuxAgent, AMissingInterfaceFailsTheLook)
{
    Host host;
    auto process = host.process();
    process.run_until(at(1s));
    host.nic.interface = "eth1";
    process.run_until(at(2s));
    EXPECT_THAT(process.events(), Not(Contains(StartsWith("nic_latched"))));
    EXPECT_THAT(host.nic.writes, IsEmpty());
}

}  // namespace
}  // namespace petrel::test
