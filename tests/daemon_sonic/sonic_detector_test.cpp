// The agent as the detector of a SONiC switch, end to end: a real redis-server, and stand-ins for syncd
// and orchagent that write the same fields at the same intervals.
#include <gmock/gmock.h>

#include "daemon_sonic/sonic_detector.hpp"

namespace petrel::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(SonicDetector, TakesSonicsScriptsOutAndTheStopPutsThemBack)
{
    build();
    ASSERT_TRUE(sonic->has_plugins());
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    const auto runs = sonic->plugin_runs();
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    EXPECT_EQ(sonic->get(sonic::Db::appl, "PFC_WD_TABLE_INSTORM:Ethernet0", "3"), "storm") << "orchagent's row";
    EXPECT_EQ(sonic->of_queue("Ethernet0:4", "PFC_WD_STATUS"), "operational");
    calm("Ethernet0:3");
    wait_for_status("Ethernet0:3", "operational");
    EXPECT_THAT(messages(), ElementsAre("Ethernet0:3 storm", "Ethernet0:3 restore"));
    EXPECT_EQ(sonic->plugin_runs(), runs) << "only the agent decided";

    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    run_until([&] { return sonic->has_plugins(); });
}

TEST_F(SonicDetector, AnAlertIsOneStormAndOneRestore)
{
    build({.action = "alert"});
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    stormed = {"Ethernet4:3"};
    wait_for_status("Ethernet4:3", "stormed");
    calm("Ethernet4:3");
    wait_for_status("Ethernet4:3", "operational");
    EXPECT_THAT(messages(), ElementsAre("Ethernet4:3 storm", "Ethernet4:3 restore"));
}

TEST_F(SonicDetector, ShowsTheDriftOfTimeStamps)
{
    build({.action = "alert"});
    stamps_per_time = 1.03;
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    run_until([&] { return agent->control({"status"}).out.find("time stamps run 3 % fast") != std::string::npos; });
    EXPECT_NE(agent->wait_for("stamp_drift"), "");
}

TEST_F(SonicDetector, WatchesPortsThatAreStartedWhileItRuns)
{
    build({.action = ""});
    const auto agent = live();
    run_until([&] { return agent->control({"status"}).out.find("failing") != std::string::npos; });
    sonic->watch("Ethernet4");
    sonic->set(sonic::Db::config, "PFC_WD|Ethernet4", "detection_time", "400");
    sonic->set(sonic::Db::config, "PFC_WD|Ethernet4", "restoration_time", "400");
    stormed = {"Ethernet4:3"};
    wait_for_status("Ethernet4:3", "stormed");
    calm("Ethernet4:3");
    wait_for_status("Ethernet4:3", "operational");
}

TEST_F(SonicDetectorProcess, AStormContinuesAcrossAKill)
{
    build();
    auto agent = live();
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    agent->kill();
    EXPECT_FALSE(sonic->has_plugins()) << "a death puts nothing back";
    agent = live();
    run_until([&] { return agent->control({"queues", "--stormed"}).out.find("Ethernet0") != std::string::npos; });
    EXPECT_THAT(agent->wait_for("storms_go_on"),
                HasSubstr("1 queue found in a storm or mitigated at the start: Ethernet0:3"));
    calm("Ethernet0:3");
    wait_for_status("Ethernet0:3", "operational");
    EXPECT_EQ(sonic->of_queue("Ethernet0:3", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"), "1") << "one storm, not two";
    EXPECT_EQ(agent->stop(), 0);
    run_until([&] { return sonic->has_plugins(); });
}

TEST_F(SonicDetectorProcess, ReleaseAllAfterAKillRestoresSonic)
{
    build();
    const auto agent = live();
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    agent->kill();
    const auto released = release_all(*agent);
    EXPECT_EQ(released.exit_code, 0) << released.out << released.err;
    EXPECT_EQ(sonic->of_queue("Ethernet0:3", "PFC_WD_STATUS"), "operational");
    run_until([&] { return sonic->has_plugins(); });
}

// release-all needs only SONiC's databases: the agent's state folder may be missing, or elsewhere.
TEST_F(SonicDetectorProcess, ReleaseAllNeedsNoMemory)
{
    build();
    const auto agent = live();
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    agent->kill();
    const auto released = release_all(*agent, {"--state-dir", (folder.path() / "elsewhere").string()});
    EXPECT_EQ(released.exit_code, 0) << released.out << released.err;
    EXPECT_THAT(released.out, AllOf(HasSubstr("has no journal"), HasSubstr("Ethernet0:3 released")));
    EXPECT_EQ(sonic->of_queue("Ethernet0:3", "PFC_WD_STATUS"), "operational");
    run_until([&] { return sonic->has_plugins(); });
}

// lossless-off is a treatment of the port: of an agent that was killed, release-all ends it for all queues of the port.
class ReleaseAllOfAPort : public SonicDetectorProcess {
protected:
    void kill_and_release(const std::vector<std::string>& flags)
    {
        build();
        const auto agent = live_with("[[device]]\nname = \"sw\"\ndriver = \"sonic:local\"\n"
                                     "[[policy]]\npreset = \"rdma-switch\"\nports = [\"Ethernet0\"]\n"
                                     "[[port]]\nname = \"Ethernet0\"\nrole = \"host\"\n",
                                     folder.path(), {"--redis", to_text(redis->address())});
        stormed = {"Ethernet0:3"};
        wait_for_status("Ethernet0:3", "stormed");
        wait_for_status("Ethernet0:4", "stormed");
        agent->kill();
        const auto released = release_all(*agent, flags);
        EXPECT_EQ(released.exit_code, 0) << released.out << released.err;
        EXPECT_THAT(released.out, AllOf(HasSubstr("sw: Ethernet0 released"), testing::Not(HasSubstr("Ethernet0:"))));
        EXPECT_EQ(sonic->of_queue("Ethernet0:3", "PFC_WD_STATUS"), "operational");
        EXPECT_EQ(sonic->of_queue("Ethernet0:4", "PFC_WD_STATUS"), "operational");
        run_until([&] { return sonic->has_plugins(); });
    }
};

TEST_F(ReleaseAllOfAPort, ByTheJournal) { kill_and_release({}); }

// The port is read before its queues: its treatment is also theirs.
TEST_F(ReleaseAllOfAPort, WithoutAJournal) { kill_and_release({"--state-dir", (folder / "elsewhere").string()}); }

TEST_F(SonicDetector, AStopThatCannotPutTheScriptsBackFails)
{
    build();
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    redis->kill();
    EXPECT_NE(agent->stop(), 0);
    EXPECT_THAT(agent->log_text(), AllOf(HasSubstr("device_not_put_back"), HasSubstr("petrel hand-back")));
}

TEST_F(SonicDetector, TheBigRedSwitchIsLeftToOrchagent)
{
    build();
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    sonic->set(sonic::Db::config, "PFC_WD|GLOBAL", "BIG_RED_SWITCH", "enable");
    for (const std::string queue : {"Ethernet0:3", "Ethernet0:4", "Ethernet4:3", "Ethernet4:4"}) {
        sonic->set_of_queue(queue, "BIG_RED_SWITCH_MODE", "enable");
    }
    EXPECT_THAT(agent->wait_for(std::vector<std::string>{"nos_configured", "configures nothing"}),
                testing::Not(IsEmpty()));
    stormed = {"Ethernet0:3"};
    int polls = 0;
    run_until([&] { return ++polls == 10; });  // twice the time that a detection takes
    EXPECT_THAT(messages(), IsEmpty());
}

}  // namespace
}  // namespace petrel::daemon
