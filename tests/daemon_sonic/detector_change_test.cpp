// How a storm ends when the configuration of the switch changes during it, or the agent stops.
#include <gmock/gmock.h>

#include "daemon_sonic/sonic_detector.hpp"

namespace petrel::daemon {
namespace {

using testing::HasSubstr;

class DetectorChange : public SonicDetector {
protected:
    static constexpr auto kQueue = "Ethernet0:3";

    void storm(const std::vector<std::string>& flags = {})
    {
        build();
        agent = live_in(folder.path(), flags);
        run_until([&] { return !sonic->has_plugins(); });
        stormed = {kQueue};
        wait_for_status(kQueue, "stormed");
    }

    void red_switch(bool on) const
    {
        sonic->set(sonic::Db::config, "PFC_WD|GLOBAL", "BIG_RED_SWITCH", on ? "enable" : "disable");
        for (const std::string queue : {"Ethernet0:3", "Ethernet0:4", "Ethernet4:3", "Ethernet4:4"}) {
            sonic->set_of_queue(queue, "BIG_RED_SWITCH_MODE", on ? "enable" : "");
            sonic->set_of_queue(queue, "PFC_WD_STATUS", on ? "stormed" : "operational");
        }
    }

    std::unique_ptr<test::SimulatedAgent> agent;
};

TEST_F(DetectorChange, AQueueThatIsNoLongerLosslessIsRestoredAndItsStormIsClosed)
{
    storm();
    for (const auto* field : {"pfc_enable", "pfcwd_sw_enable"}) {
        sonic->set(sonic::Db::config, "PORT_QOS_MAP|Ethernet0", field, "4");
    }
    wait_for_status(kQueue, "operational");
    EXPECT_THAT(agent->wait_for(std::vector<std::string>{"storm_re", kQueue}), HasSubstr("reconfigured"));
}

TEST_F(DetectorChange, TheBigRedSwitchEndsAStormAndLeavesNothingBehind)
{
    storm();
    red_switch(true);
    EXPECT_THAT(agent->wait_for(std::vector<std::string>{"storm_re", kQueue}), HasSubstr("reconfigured"));
    red_switch(false);
    wait_for_status(kQueue, "stormed");
    EXPECT_THAT(agent->log_text(), testing::Not(HasSubstr("restore_failed")));
}

class ActionChangedInPlace : public DetectorChange {
protected:
    static constexpr auto kShown = "orchagent shows the action forward and still applies drop on Ethernet0:";

    void watch()
    {
        build();
        agent = live();
        run_until([&] { return !sonic->has_plugins(); });
    }

    void change()
    {
        watch();
        sonic->change_action_in_place("Ethernet0", "forward");
        EXPECT_THAT(agent->wait_for("action_not_applied"), HasSubstr(kShown));
        run_until([&] { return status().find(kShown) != std::string::npos; });
    }

    // As `pfcwd start` does it.
    void write_entry_anew(const std::string& action)
    {
        redis::Pipeline entry;
        entry.add({"DEL", "PFC_WD|Ethernet0"});
        entry.add({"HSET", "PFC_WD|Ethernet0", "detection_time", "400", "restoration_time", "400", "action", action});
        ASSERT_TRUE(redis->connect(static_cast<int>(sonic::Db::config))->run(entry));
        sonic->unregister_queue("Ethernet0:3");
        sonic->unregister_queue("Ethernet0:4");
        sonic->watch("Ethernet0", action);
    }

    void expect_no_longer_shown()
    {
        run_until([&] { return status().find("still applies") == std::string::npos; });
    }

    std::string status() { return agent->control({"status"}).out; }
};

TEST_F(ActionChangedInPlace, IsReportedUntilTheEntryIsWrittenAnew)
{
    change();
    write_entry_anew("forward");
    expect_no_longer_shown();
}

TEST_F(ActionChangedInPlace, IsReportedUntilItIsTheOldOneAgain)
{
    change();
    sonic->change_action_in_place("Ethernet0", "drop");
    expect_no_longer_shown();
}

TEST_F(ActionChangedInPlace, IsReportedUntilOrchagentIsRestarted)
{
    change();
    sonic->orchagent_leaves();
    sonic->unregister_queue("Ethernet0:3");
    sonic->unregister_queue("Ethernet0:4");
    expect_no_longer_shown();
    sonic->orchagent_comes(false);
    run_until([&] { return !sonic->has_plugins(); });
    EXPECT_EQ(status().find("still applies"), std::string::npos);
}

TEST_F(ActionChangedInPlace, IsReportedWithTheActionInForceAfterSeveralChanges)
{
    change();
    sonic->change_action_in_place("Ethernet0", "alert");
    run_until([&] { return status().find("shows the action alert and still applies drop") != std::string::npos; });
}

TEST_F(ActionChangedInPlace, IsNotReportedIfTheEntryIsWrittenAnew)
{
    watch();
    write_entry_anew("forward");
    run_until([&] { return agent->control({"queues"}).out.find("forward") != std::string::npos; });
    agent->wait_for("nos_configured");
    run_until([&, polls = 0]() mutable { return ++polls == 30; });
    EXPECT_THAT(agent->log_text(), testing::Not(HasSubstr("action_not_applied")));
    EXPECT_EQ(status().find("still applies"), std::string::npos);
}

TEST_F(DetectorChange, AStopThatCannotRestoreEverythingPutsTheScriptsBack)
{
    storm({"--stop-timeout-ms", "300"});
    sonic->hold();
    EXPECT_NE(agent->stop(), 0);
    EXPECT_THAT(agent->log_text(), HasSubstr("stop_incomplete"));
    run_until([&] { return sonic->has_plugins(); });
    sonic->release();
}

TEST_F(DetectorChange, HeldMitigationsAreLeftToTheScripts)
{
    storm({"--stop", "hold"});
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    run_until([&] { return sonic->has_plugins(); });
    EXPECT_EQ(sonic->of_queue(kQueue, "PFC_WD_STATUS"), "stormed");
}

}  // namespace
}  // namespace petrel::daemon
