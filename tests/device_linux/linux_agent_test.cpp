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
    EXPECT_THAT(process.events(), ElementsAre("nic_latched proven"));
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
    host.nic.grow();
    host.nic.pfc->enabled = 0b0000'1000;
    process.run_until(at(30s));
    EXPECT_THAT(host.nic.writes, ElementsAre("pfc 0x00", "pfc 0x00"));
    EXPECT_EQ(host.nic.pfc->enabled, 0);
    EXPECT_EQ(process.openings(), 2U);
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
    EXPECT_THAT(process.events(), Contains(StartsWith("mitigation_failed")));
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
