// Queues that SONiC's scripts watch and the agent cannot watch, although nothing looks wrong at first.
#include <map>

#include "device_sonic/sonic_coverage.hpp"

namespace petrel::test {
namespace {

using testing::HasSubstr;

class HiddenQueue : public SonicCoverage {
protected:
    void take_scripts_out()
    {
        open();
        EXPECT_EQ(poll(3), "");
        ASSERT_FALSE(scripts_are_in());
    }

    void set_priorities(const std::string& port, const std::string& list)
    {
        sonic().set(Db::config, "PORT_QOS_MAP|" + port, "pfc_enable", list);
        sonic().set(Db::config, "PORT_QOS_MAP|" + port, "pfcwd_sw_enable", list);
    }
};

TEST_F(HiddenQueue, APriorityThatIsNoLongerLosslessEitherIsWatchedByTheScriptsWhileItIsRegistered)
{
    take_scripts_out();
    set_priorities("Ethernet4", "3");
    poll();
    watch_rows({"Ethernet0:3", "Ethernet0:4", "Ethernet4:3"});
    EXPECT_THAT(poll(7), HasSubstr("Ethernet4:4"));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(HiddenQueue, APortWithoutPrioritiesIsWatchedByTheScriptsWhileItIsRegistered)
{
    take_scripts_out();
    sonic().remove(Db::config, "PORT_QOS_MAP|Ethernet4");
    poll();
    watch_rows({"Ethernet0:3", "Ethernet0:4"});
    EXPECT_THAT(poll(7), HasSubstr("Ethernet4:3"));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(HiddenQueue, APriorityThatOrchagentRegistersLateIsWatchedByTheScripts)
{
    begin({.classes = "3"});
    sonic().set(Db::counters, "COUNTERS_QUEUE_NAME_MAP", "Ethernet4:4", SonicSwitch::queue_oid("Ethernet4:4"));
    take_scripts_out();
    const auto oid = SonicSwitch::queue_oid("Ethernet4:4");
    for (const auto& [field, value] : std::map<std::string, std::string>{{"PFC_WD_DETECTION_TIME", "400000"},
                                                                         {"PFC_WD_STATUS", "operational"},
                                                                         {"SAI_QUEUE_STAT_PACKETS", "0"},
                                                                         {"SAI_QUEUE_ATTR_PAUSE_STATUS", "false"}}) {
        sonic().set(Db::counters, "COUNTERS:" + oid, field, value);
    }
    sonic().set(Db::flex_counter, "FLEX_COUNTER_TABLE:PFC_WD:" + oid, "QUEUE_COUNTER_ID_LIST",
                "SAI_QUEUE_STAT_PACKETS");
    EXPECT_THAT(poll(8), HasSubstr("Ethernet4:4"));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(HiddenQueue, APortWithoutAnObjectLeavesItsQueuesToTheScripts)
{
    take_scripts_out();
    redis::Pipeline unmap;
    unmap.add({"HDEL", "COUNTERS_PORT_NAME_MAP", "Ethernet4"});
    ASSERT_TRUE(on_->server_.connect(2)->run(unmap));
    EXPECT_THAT(poll(8), HasSubstr("Ethernet4:3"));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(HiddenQueue, CountersOfAnotherAsicThanTheGroupKeepTheScriptsIn)
{
    for (const auto* oid : {"oid:0x1500000000777a", "oid:0x1500000000777b"}) {
        sonic().set(Db::flex_counter, std::string{"FLEX_COUNTER_TABLE:PFC_WD:"} + oid, "QUEUE_COUNTER_ID_LIST",
                    "SAI_QUEUE_STAT_PACKETS");
    }
    open();
    EXPECT_THAT(poll(4), HasSubstr("oid:0x1500000000777a"));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(HiddenQueue, StampsThatCrawlBringTheScriptsBack)
{
    take_scripts_out();
    const auto begin = on_->clock_.now().mono;
    std::string last;
    for (int i = 0; i != 25; ++i) {
        on_->clock_.advance(200ms);
        sonic().poll(begin + (on_->clock_.now().mono - begin) / 1000);
        last = look();
    }
    EXPECT_THAT(last, HasSubstr("time stamps"));
    EXPECT_TRUE(scripts_are_in());
    EXPECT_EQ(poll(20), "");
    EXPECT_FALSE(scripts_are_in());
}

TEST_F(HiddenQueue, StampsThatComeAndGoWithEachPollBringTheScriptsBack)
{
    take_scripts_out();
    std::string last;
    for (int i = 0; i != 20; ++i) {
        on_->clock_.advance(200ms);
        sonic().poll(on_->clock_.now().mono);
        if (i % 2 == 0) {
            sonic().remove(Db::counters, "COUNTERS:TIME_STAMP");
        }
        last = look();
    }
    EXPECT_THAT(last, HasSubstr("appear and disappear"));
    EXPECT_TRUE(scripts_are_in());
}

TEST_F(HiddenQueue, ALinkThatIsShownAsDownWhilePauseArrivesBringsTheScriptsBack)
{
    take_scripts_out();
    sonic().set(Db::appl, "PORT_TABLE:Ethernet4", "oper_status", "down");
    EXPECT_EQ(poll(10), "") << "a port that is down needs no watch";
    EXPECT_FALSE(scripts_are_in());
    std::string last;
    for (int i = 0; i != 10; ++i) {
        sonic().queue("Ethernet4:3").rx += 100;
        sonic().queue("Ethernet4:3").paused = true;
        sonic().queue("Ethernet4:3").pause_us += 200'000;
        last = poll();
    }
    EXPECT_THAT(last, HasSubstr("Ethernet4:3"));
    EXPECT_TRUE(scripts_are_in());
}

}  // namespace
}  // namespace petrel::test
