// SONiC's own detection scripts while agents start, die and stop: when no agent watches, the scripts do, and the two
// never decide at the same time.
#include <gmock/gmock.h>

#include "daemon_sonic/sonic_detector.hpp"

namespace petrel::daemon {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PluginsOfAgents : public SonicDetectorProcess {
protected:
    // A killed agent has left the scripts out. Then pfcwd stop unregisters all queues, so that no agent can open the
    // device.
    std::unique_ptr<test::AgentProcess> die_before_pfcwd_stop()
    {
        build();
        auto agent = live();
        run_until([&] { return !sonic->has_plugins(); });
        agent->kill();
        sonic->unwatch("Ethernet0");
        sonic->unwatch("Ethernet4");
        sonic->serve_requests();
        EXPECT_FALSE(sonic->has_plugins());
        return agent;
    }

    void expect_back()
    {
        sonic->serve_requests();
        EXPECT_TRUE(sonic->has_plugins());
        EXPECT_EQ(sonic->get(sonic::Db::state, "PETREL_PFC_WD|plugins", "QUEUE_PLUGIN_LIST"), "");
    }
};

TEST_F(PluginsOfAgents, ReleaseAllAfterAKillPutsThemBackThoughNothingIsWatched)
{
    const auto agent = die_before_pfcwd_stop();
    const auto released = release_all(*agent);
    EXPECT_EQ(released.exit_code, 0) << released.out << released.err;
    EXPECT_THAT(released.out,
                AllOf(HasSubstr("sw: SONiC's own detector is on again"), HasSubstr("nothing is in force")));
    expect_back();
}

// orchagent has unregistered the queues, but still shows one of them in a storm.
TEST_F(PluginsOfAgents, ReleaseAllFailsIfAQueueThatItCannotReleaseIsInAStorm)
{
    const auto agent = die_before_pfcwd_stop();
    redis::Pipeline storm;
    const auto key = "COUNTERS:" + sonic->get(sonic::Db::counters, "COUNTERS_QUEUE_NAME_MAP", "Ethernet0:3");
    storm.add({"HSET", key, "PFC_WD_STATUS", "stormed"});
    ASSERT_TRUE(redis->connect(static_cast<int>(sonic::Db::counters))->run(storm));
    const auto released = release_all(*agent);
    EXPECT_EQ(released.exit_code, 1);
    EXPECT_THAT(released.out, testing::Not(HasSubstr("nothing is in force")));
    expect_back();
}

// Without the names of queues, the databases do not show what is in force.
TEST_F(PluginsOfAgents, ReleaseAllFailsWithoutNamesOfQueues)
{
    const auto agent = die_before_pfcwd_stop();
    redis::Pipeline flush;
    flush.add({"FLUSHDB"});
    ASSERT_TRUE(redis->connect(static_cast<int>(sonic::Db::counters))->run(flush));
    const auto released = release_all(*agent);
    EXPECT_EQ(released.exit_code, 1);
    EXPECT_THAT(released.out, testing::Not(HasSubstr("nothing is in force")));
    expect_back();
}

TEST_F(PluginsOfAgents, ReleaseAllAfterAKillReportsWhatCannotBePutBack)
{
    const auto agent = die_before_pfcwd_stop();
    redis->kill();
    const auto released = release_all(*agent);
    EXPECT_EQ(released.exit_code, 1);
    EXPECT_THAT(released.out, HasSubstr("SONiC's own detector is not put back"));
}

TEST_F(PluginsOfAgents, TheNextAgentPutsThemBackThoughNothingIsWatched)
{
    const auto agent = die_before_pfcwd_stop();
    agent->start();
    EXPECT_NE(agent->wait_for("PFC_WD has no port"), "");
    expect_back();
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    expect_back();
}

// The agent delays its next start, and during the delay only the scripts can watch.
TEST_F(PluginsOfAgents, RepeatedKillsLeaveDetectionToTheScripts)
{
    build();
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    const auto began = [&] { return agent->wait_for(std::vector<std::string>{"device_"}); };
    do {
        agent->kill();
        agent->start();
    } while (began().find("waits 16.000 s") == std::string::npos);
    run_until([&] { return sonic->has_plugins(); });
}

TEST_F(PluginsOfAgents, AnAgentWithoutAConnectionReportsThatTheyMayBeOut)
{
    const auto agent = die_before_pfcwd_stop();
    redis->kill();
    agent->start();
    EXPECT_NE(agent->wait_for("nos_trouble"), "");
    EXPECT_NE(agent->stop(), 0);
    EXPECT_THAT(agent->log_text(), AllOf(HasSubstr("device_not_put_back"), HasSubstr("petrel hand-back")));
}

TEST_F(PluginsOfAgents, AnAgentThatWaitedForAnotherStopsWithoutAnError)
{
    build();
    const auto first = live();
    run_until([&] { return !sonic->has_plugins(); });
    const test::TemporaryFolder elsewhere;
    const auto second = live_in(elsewhere.path());
    EXPECT_NE(second->wait_for("another Petrel decides for this switch"), "");
    EXPECT_EQ(second->stop(), 0) << second->log_text();
    sonic->serve_requests();
    EXPECT_FALSE(sonic->has_plugins());
}

// With two agents, one could restore a queue that the other mitigates.
TEST_F(PluginsOfAgents, ASecondAgentWaitsUntilTheFirstIsGone)
{
    build();
    const auto first = live();
    run_until([&] { return !sonic->has_plugins(); });
    const auto pid = std::to_string(first->pid());
    const test::TemporaryFolder elsewhere;
    const auto second = live_in(elsewhere.path());
    EXPECT_NE(second->wait_for({"device_failing", "another Petrel decides for this switch: process " + pid + " on "}),
              "");

    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    calm("Ethernet0:3");
    wait_for_status("Ethernet0:3", "operational");
    EXPECT_THAT(messages(), testing::ElementsAre("Ethernet0:3 storm", "Ethernet0:3 restore"));

    EXPECT_EQ(first->stop(), 0) << first->log_text();
    run_until([&] { return second->control({"status"}).out.find("all well") != std::string::npos; });
    run_until([&] { return !sonic->has_plugins(); });
    EXPECT_EQ(second->stop(), 0) << second->log_text();
    expect_back();
}

TEST_F(PluginsOfAgents, ReleaseAllIsRefusedWhileAnAgentRuns)
{
    build();
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    const test::TemporaryFolder elsewhere;
    const auto released = test::run(
        {.program = PETREL_BIN_DIR "/petrel",
         .arguments = {"release-all", "--device", "sonic:local", "--redis", to_text(redis->address()), "--state-dir",
                       elsewhere.path().string(), "--socket", (elsewhere / "control.sock").string()}});
    EXPECT_EQ(released.exit_code, 1);
    EXPECT_THAT(released.out, HasSubstr("another Petrel decides for this switch"));
    sonic->serve_requests();
    EXPECT_FALSE(sonic->has_plugins());
}

}  // namespace
}  // namespace petrel::daemon
