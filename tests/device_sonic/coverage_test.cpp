// SONiC's scripts are out only while the agent watches every queue that they would watch. These tests try each way to
// break that rule; rule_test.cpp combines them at random.
#include "device/sonic/coverage.hpp"

#include "device_sonic/sonic_coverage.hpp"

namespace petrel::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(SonicCoverage, ScriptsLeaveWithTheSecondPollOfACompleteWatch)
{
    open();
    EXPECT_EQ(look(), "");
    EXPECT_TRUE(scripts_are_in()) << "a stamp that stands still looks like this";
    EXPECT_EQ(poll(), "");
    EXPECT_FALSE(scripts_are_in());
}

// After the big red switch orchagent leaves PFC_WD_STATUS on every lossless queue, also on ports that syncd does not
// poll.
TEST_F(SonicCoverage, TheBigRedSwitchOnSomePortsLeavesNoQueueUnwatched)
{
    for (const bool stamps : {true, false}) {
        begin({.stamps = stamps, .action = ""});
        sonic().watch("Ethernet0");
        sonic().poll(on_->clock_.now().mono);
        open();
        watch_rows({"Ethernet0:3", "Ethernet0:4"});
        EXPECT_EQ(poll(4), "");
        EXPECT_FALSE(scripts_are_in());
        sonic().big_red_switch(true);
        poll(3);
        sonic().big_red_switch(false);
        poll(6);
        for (int i = 0; i != 20; ++i) {
            EXPECT_EQ(poll(), "") << i;
            EXPECT_THAT(touched(), ElementsAre("Ethernet0:3", "Ethernet0:4")) << i << " with stamps: " << stamps;
        }
        EXPECT_EQ(sonic().of_queue("Ethernet4:3", "PFC_WD_STATUS"), "operational") << "left over";
        EXPECT_FALSE(scripts_are_in());
        EXPECT_THAT(unseen(), IsEmpty());
    }
}

TEST_F(SonicCoverage, ARejectedEntryIsNamedAndDoesNotBringTheScriptsBack)
{
    open();
    EXPECT_EQ(poll(3), "");
    sonic().reject("Ethernet0");
    EXPECT_EQ(poll(4), "");
    EXPECT_THAT(unseen(), IsEmpty()) << "orchagent may be about to register it";
    EXPECT_EQ(poll(4), "");
    ASSERT_THAT(unseen(), ElementsAre("Ethernet0:3", "Ethernet0:4"));
    EXPECT_THAT(device().unseen_queues()[0].why, HasSubstr("does not accept PFC_WD|Ethernet0"));
    EXPECT_FALSE(scripts_are_in());
    sonic().watch("Ethernet0");
    EXPECT_EQ(poll(7), "");
    EXPECT_THAT(unseen(), IsEmpty());
}

// orchagent reads pfcwd_sw_enable when the entry of the port is written.
TEST_F(SonicCoverage, AQueueWhosePriorityWasAddedLaterWaitsForTheNextStart)
{
    begin({.classes = "3"});
    sonic().set(Db::counters, "COUNTERS_QUEUE_NAME_MAP", "Ethernet0:4", SonicSwitch::queue_oid("Ethernet0:4"));
    open();
    EXPECT_EQ(poll(3), "");
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet0", "pfc_enable", "3,4");
    sonic().set(Db::config, "PORT_QOS_MAP|Ethernet0", "pfcwd_sw_enable", "3,4");
    EXPECT_EQ(poll(10), "");
    ASSERT_THAT(unseen(), ElementsAre("Ethernet0:4"));
    EXPECT_THAT(device().unseen_queues()[0].why, HasSubstr("at the next `pfcwd start` for Ethernet0"));
}

TEST_F(SonicCoverage, AConfiguredQueueWithoutAnObjectIsNamed)
{
    redis::Pipeline unmap;
    unmap.add({"HDEL", "COUNTERS_QUEUE_NAME_MAP", "Ethernet4:4"});
    ASSERT_TRUE(on_->server_.connect(2)->run(unmap));
    sonic().unwatch("Ethernet4");
    sonic().reject("Ethernet4");
    open();
    poll(8);
    ASSERT_THAT(unseen(), ElementsAre("Ethernet4:3", "Ethernet4:4"));
    EXPECT_THAT(device().unseen_queues()[1].why, HasSubstr("COUNTERS_QUEUE_NAME_MAP has no such queue"));
}

TEST_F(SonicCoverage, WithoutAPolicyForARegisteredQueueTheScriptsStay)
{
    open();
    watch_rows({"Ethernet0:3", "Ethernet0:4", "Ethernet4:3"});
    EXPECT_THAT(poll(), HasSubstr("no policy of this agent covers Ethernet4:4"));
    EXPECT_THAT(poll(10), HasSubstr("SONiC's own scripts watch meanwhile"));
    EXPECT_THAT(touched(), IsEmpty()) << "two detectors would undo each other's work";
    EXPECT_TRUE(scripts_are_in());
    on_->watch_all();
    EXPECT_EQ(poll(2), "");
    EXPECT_FALSE(scripts_are_in());
    EXPECT_FALSE(device().wants_reopening());
}

TEST_F(SonicCoverage, APolicyThatGoesBringsTheScriptsBackWithinASecond)
{
    open();
    EXPECT_EQ(poll(3), "");
    ASSERT_FALSE(scripts_are_in());
    watch_rows({"Ethernet0:3", "Ethernet0:4", "Ethernet4:3"});
    EXPECT_EQ(poll(5), "") << "the queue may be about to be unregistered";
    EXPECT_FALSE(scripts_are_in());
    EXPECT_THAT(poll(1), HasSubstr("Ethernet4:4"));
    EXPECT_TRUE(scripts_are_in());
}

// orchagent keeps the queue registered until its entry is written again, so the scripts would still watch it.
TEST_F(SonicCoverage, APriorityThatLeavesTheWatchBringsTheScriptsBackWhileItIsRegistered)
{
    open();
    EXPECT_EQ(poll(3), "");
    ASSERT_FALSE(scripts_are_in());
    sonic().set(sonic::Db::config, "PORT_QOS_MAP|Ethernet4", "pfcwd_sw_enable", "3");
    poll();
    watch_rows({"Ethernet0:3", "Ethernet0:4", "Ethernet4:3"});
    EXPECT_THAT(poll(7), AllOf(HasSubstr("Ethernet4:4"), HasSubstr("pfcwd start")));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(SonicCoverage, AnAgentThatWatchesNothingPutsThemBackAtOnce)
{
    open();
    poll(3);
    ASSERT_FALSE(scripts_are_in());
    device().set_watched_rows({});
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(SonicCoverage, StampsThatStandStillBringTheScriptsBack)
{
    open();
    EXPECT_EQ(poll(3), "");
    sonic().freeze_stamps(true);
    EXPECT_EQ(poll(5), "");
    EXPECT_FALSE(scripts_are_in());
    EXPECT_THAT(poll(), AllOf(HasSubstr("syncd does not poll"), HasSubstr("watch only while syncd polls")));
    EXPECT_TRUE(scripts_are_in());
    const auto refused = device().apply({1, 0, on_->target(kQueue), Treatment::drop, kNever}, {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("scripts decide"));
    sonic().freeze_stamps(false);
    EXPECT_EQ(poll(2), "");
    EXPECT_FALSE(scripts_are_in());
    EXPECT_FALSE(device().wants_reopening()) << "the scripts found no storm meanwhile";
}

TEST_F(SonicCoverage, RequestsReopeningAfterAStormThatTheScriptsFound)
{
    open();
    poll(3);
    sonic().freeze_stamps(true);
    poll(7);
    ASSERT_TRUE(scripts_are_in());
    redis::Pipeline word;
    word.add({"PUBLISH", "PFC_WD_ACTION", R"([")" + SonicSwitch::queue_oid(kQueue) + R"(","storm"])"});
    ASSERT_TRUE(on_->server_.connect(2)->run(word));
    sonic().catch_up();
    sonic().freeze_stamps(false);
    EXPECT_EQ(poll(2), "");
    EXPECT_TRUE(device().wants_reopening());
    EXPECT_TRUE(scripts_are_in());
    sonic().catch_up();
    EXPECT_EQ(status(), "stormed") << "the storm of the scripts stays";
    open();
    EXPECT_EQ(poll(2), "");
    EXPECT_FALSE(device().wants_reopening());
    EXPECT_FALSE(scripts_are_in());
}

TEST_F(SonicCoverage, StampsThatStoodStillFromTheBeginningNeverTakeThemOut)
{
    sonic().freeze_stamps(true);
    open();
    poll(20);
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(SonicCoverage, DatabasesOfDifferentAsicsKeepTheScriptsIn)
{
    sonic().remove(Db::config, "PORT|Ethernet4");
    open();
    EXPECT_THAT(poll(3), AllOf(HasSubstr("orchagent has registered Ethernet4:3"),
                               HasSubstr("the databases do not belong to the same ASIC (and 1 more)")));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(SonicCoverage, WithoutAQueueToWatchTheScriptsReturn)
{
    open();
    poll(3);
    ASSERT_FALSE(scripts_are_in());
    sonic().unwatch("Ethernet0");
    sonic().unwatch("Ethernet4");
    EXPECT_EQ(poll(7), "");
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(SonicCoverage, PauseTimeInAVendorsUnitLeavesTheSwitchToItsScript)
{
    begin({.transitions = false, .pause_status = false, .vendor_pause = true});
    const auto opened = on_->open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::unsupported);
    EXPECT_THAT(opened.error().what, AllOf(HasSubstr("RX_PAUSE_DURATION is in units of its vendor"),
                                           HasSubstr("SONiC's own scripts stay in place")));
    EXPECT_TRUE(scripts_are_in());
}

// ---- the fields that the scripts store between polls

TEST_F(SonicCoverage, TheScriptsReturnWithoutTheirOldState)
{
    begin({.scripts = true});
    open();
    poll(3);
    ASSERT_FALSE(scripts_are_in());
    const auto port = "COUNTERS:" + SonicSwitch::port_oid("Ethernet0");
    sonic().set(Db::counters, port, "SAI_PORT_STAT_PFC_3_RX_PKTS_last", "1");
    sonic().set(Db::counters, port, "SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS_last", "0");
    sonic().set(Db::counters, port, "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US_last", "1");
    sonic().set(Db::counters, "TIMESTAMP", "PFCWD_POLL_TIMESTAMP_last", "1");
    sonic().set_of_queue(kQueue, "SAI_QUEUE_ATTR_PAUSE_STATUS_last", "true");
    sonic().set_of_queue(kQueue, "SAI_QUEUE_STAT_PACKETS_last", "0");
    sonic().set_of_queue(kQueue, "PFC_WD_DETECTION_TIME_LEFT", "100000");
    sonic().set_of_queue(kQueue, "PFC_WD_RESTORATION_TIME_LEFT", "100000");
    ASSERT_TRUE(device().close());
    for (const auto* field : {"SAI_QUEUE_STAT_PACKETS_last", "PFC_WD_DETECTION_TIME_LEFT",
                              "PFC_WD_RESTORATION_TIME_LEFT", "SAI_QUEUE_ATTR_PAUSE_STATUS_last"}) {
        EXPECT_EQ(sonic().of_queue(kQueue, field), "") << field;
    }
    EXPECT_EQ(sonic().get(Db::counters, port, "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US_last"), "");
    EXPECT_EQ(sonic().get(Db::counters, "TIMESTAMP", "PFCWD_POLL_TIMESTAMP_last"), "");
    EXPECT_EQ(sonic().of_queue(kQueue, "PFC_WD_DETECTION_TIME"), "400000") << "orchagent's own stays";
    sonic().queue(kQueue).rx += 100;
    sonic().queue(kQueue).paused = true;
    on_->clock_.advance(200ms);
    sonic().poll(on_->clock_.now().mono);
    sonic().catch_up();
    EXPECT_THAT(sonic().messages(), IsEmpty()) << "a pause of one poll is no storm";
}

// ---- messages that come too late

TEST_F(SonicCoverage, NoRestoreForAQueueThatOrchagentUnregistersItself)
{
    ASSERT_TRUE(on_->open({60s, 1ms}));
    const auto treat = [&](Treatment want) { return on_->treat(on_->target(kQueue), want); };
    sonic().hold();
    [[maybe_unused]] const auto late = treat(Treatment::drop);
    sonic().release();
    sonic().catch_up();
    ASSERT_EQ(status(), "stormed");
    sonic().remove(Db::config, "PFC_WD|Ethernet0");  // pfcwd stop; orchagent has not seen it yet
    const auto waits = treat(Treatment::none);
    ASSERT_FALSE(waits);
    EXPECT_EQ(waits.error().kind, ErrorKind::timed_out);
    EXPECT_THAT(waits.error().what, HasSubstr("PFC_WD|Ethernet0 is gone"));
    sonic().unwatch("Ethernet0");
    EXPECT_TRUE(treat(Treatment::none));
    sonic().catch_up();
    EXPECT_THAT(sonic().messages(), ElementsAre("Ethernet0:3 storm"));
    EXPECT_THAT(sonic().errors(), IsEmpty());
}

// ---- names that appear port by port

TEST_F(SonicCoverage, NamesThatReturnPortByPortKeepTheInventory)
{
    begin({.ports = 16});
    open();
    poll(3);
    const auto generation = device().inventory().generation;
    sonic().lose_names();
    EXPECT_THAT(poll(), HasSubstr("COUNTERS_QUEUE_NAME_MAP"));
    for (int port = 0; port != 15; ++port) {
        sonic().name_queues("Ethernet" + std::to_string(4 * port));
        EXPECT_THAT(poll(), HasSubstr("COUNTERS_QUEUE_NAME_MAP")) << port;
    }
    sonic().name_queues("Ethernet60");
    poll(2);
    EXPECT_EQ(device().inventory().generation, generation);
}

TEST_F(SonicCoverage, ASwitchOpenedWhileItsNamesAppearChangesOnce)
{
    begin({.ports = 16});
    sonic().lose_names();
    sonic().name_queues("Ethernet0");
    open();
    const auto generation = device().inventory().generation;
    for (int port = 1; port != 16; ++port) {
        sonic().name_queues("Ethernet" + std::to_string(4 * port));
        poll();
    }
    poll();
    EXPECT_EQ(device().inventory().rows.size(), 32U);
    EXPECT_EQ(device().inventory().generation, generation + 1);
}

}  // namespace
}  // namespace petrel::test
