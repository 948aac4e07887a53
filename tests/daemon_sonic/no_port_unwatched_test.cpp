// No port of a SONiC switch is left unwatched: SONiC's scripts watch the ports that the agent cannot watch, and the
// agent reports by name the queues that neither can watch.
#include <gmock/gmock.h>

#include "daemon_sonic/sonic_detector.hpp"

namespace petrel::daemon {
namespace {

using sonic::Db;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class NoPortUnwatched : public SonicDetector {
protected:
    void run_until_status(test::SimulatedAgent& agent, const std::string& words)
    {
        run_until([&] { return agent.control({"status"}).out.find(words) != std::string::npos; });
    }
};

TEST_F(NoPortUnwatched, ARejectedEntryIsNamedInStatusLogAndMetrics)
{
    build();
    sonic->reject("Ethernet4");
    const auto agent = live();
    run_until_status(*agent, "2 queues of sw are configured and cannot be watched");
    const auto status = agent->control({"status"}).out;
    EXPECT_THAT(status, AllOf(HasSubstr("Ethernet4:3: orchagent has not registered it"), HasSubstr("Ethernet4:4: "),
                              HasSubstr("2 queues watched")));
    EXPECT_THAT(agent->control({"queues"}).out, HasSubstr("unseen"));
    EXPECT_THAT(agent->metrics(),
                AllOf(HasSubstr(R"(petrel_device_unseen_queues{device="sw"} 2)"),
                      HasSubstr(R"(petrel_queue_unseen{device="sw",port="Ethernet4",priority="3"} 1)")));
    EXPECT_THAT(agent->wait_for("queues_unseen"),
                AllOf(HasSubstr("2 queues are configured and cannot be watched: Ethernet4:3, Ethernet4:4: "),
                      HasSubstr("does not accept PFC_WD|Ethernet4")));
    run_until([&] { return !sonic->has_plugins(); });
    sonic->watch("Ethernet4");
    run_until([&] { return agent->metrics().find("petrel_queue_unseen") == std::string::npos; });
    EXPECT_NE(agent->wait_for("queues_seen"), "");
    EXPECT_THAT(agent->control({"status"}).out,
                AllOf(HasSubstr("4 queues watched"), Not(HasSubstr("cannot be watched"))));
}

TEST_F(NoPortUnwatched, WithoutAnyEntryTheAgentFollowsLinksAndTheStatusNamesTheCommandThatAddsOne)
{
    build();
    sonic->unwatch("Ethernet0");
    sonic->unwatch("Ethernet4");
    const auto agent = live();
    run_until_status(*agent, "PFC_WD has no port, so orchagent watches no queue: add ports with `pfcwd start ");
    sonic->set(Db::appl, "PORT_TABLE:Ethernet4", "oper_status", "down");
    EXPECT_THAT(agent->wait_for("link_down"), HasSubstr("Ethernet4"));
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("failing"));
    sonic->set(Db::config, "PFC_WD|Ethernet0", "detection_time", "400");
    sonic->set(Db::config, "PFC_WD|Ethernet0", "restoration_time", "400");
    sonic->watch("Ethernet0");
    run_until([&] { return !sonic->has_plugins(); });
}

// SONiC's YANG model forbids a detection time below the polling interval, but orchagent accepts it.
TEST_F(NoPortUnwatched, AnEntryThatOnlyTheAgentRefusesIsLeftToTheScripts)
{
    build();
    sonic->set(Db::config, "PFC_WD|Ethernet4", "detection_time", "50");
    const auto agent = live();
    run_until_status(*agent, "no policy of this agent covers Ethernet4:3");
    sonic->serve_requests();
    EXPECT_TRUE(sonic->has_plugins());
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("SONiC's own scripts watch meanwhile"));
    sonic->set(Db::config, "PFC_WD|Ethernet4", "detection_time", "400");
    run_until([&] { return !sonic->has_plugins(); });
    stormed = {"Ethernet4:3"};
    wait_for_status("Ethernet4:3", "stormed");
}

// SONiC's scripts find a storm while they are in place. Afterwards the agent keeps the queue mitigated.
TEST_F(NoPortUnwatched, AStormThatTheScriptsFoundMeanwhileStaysMitigated)
{
    build();
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    sonic->freeze_stamps(true);
    run_until([&] { return sonic->has_plugins(); });
    redis::Pipeline word;
    word.add({"PUBLISH", "PFC_WD_ACTION", R"([")" + test::SonicSwitch::queue_oid("Ethernet0:3") + R"(","storm"])"});
    ASSERT_TRUE(redis->connect(static_cast<int>(Db::counters))->run(word));
    sonic->catch_up();
    stormed = {"Ethernet0:3"};
    sonic->freeze_stamps(false);
    run_until([&] { return !sonic->has_plugins(); });
    run_until([&] { return agent->control({"queues", "--stormed"}).out.find("Ethernet0:3") != std::string::npos; });
    calm("Ethernet0:3");
    wait_for_status("Ethernet0:3", "operational");
    EXPECT_THAT(messages(), testing::ElementsAre("Ethernet0:3 storm", "Ethernet0:3 restore"));
}

TEST_F(SonicDetectorProcess, HandBackAfterADeathReturnsTheScriptsAndLeavesMitigations)
{
    const auto hand_back = [this](const test::AgentProcess& agent) {
        return test::run(
            {.program = PETREL_BIN_DIR "/petrel",
             .arguments = {"hand-back", "--config", agent.file().string(), "--redis", to_text(redis->address())}});
    };
    build();
    const auto agent = live();
    run_until([&] { return !sonic->has_plugins(); });
    const auto beside = hand_back(*agent);
    EXPECT_EQ(beside.exit_code, 0) << beside.err;
    EXPECT_EQ(beside.out, "sw: nothing is put back: a live agent watches it\n");
    stormed = {"Ethernet0:3"};
    wait_for_status("Ethernet0:3", "stormed");
    agent->kill();
    sonic->serve_requests();
    ASSERT_FALSE(sonic->has_plugins());
    const auto back = hand_back(*agent);
    EXPECT_EQ(back.exit_code, 0) << back.err;
    EXPECT_EQ(back.out, "sw: put back; mitigations stay as they are\n");
    sonic->serve_requests();
    EXPECT_TRUE(sonic->has_plugins());
    EXPECT_EQ(sonic->of_queue("Ethernet0:3", "PFC_WD_STATUS"), "stormed");
    EXPECT_EQ(hand_back(*agent).out, "sw: nothing is to be put back\n");
    redis->kill();
    const auto failed = hand_back(*agent);
    EXPECT_NE(failed.exit_code, 0);
    EXPECT_THAT(failed.err, HasSubstr("sw: SONiC's own detector is not put back"));
}

// ---- several ASICs

class SeveralAsicsOfASwitch : public NoPortUnwatched {
protected:
    void SetUp() override
    {
        NoPortUnwatched::SetUp();
        if (!IsSkipped()) {
            build();
            other_redis = std::make_unique<test::RedisServer>();
            other = std::make_unique<test::SonicSwitch>(
                *other_redis, test::SonicSwitch::Setup{.poll = std::chrono::milliseconds{kPollMs}});
        }
    }

    // The agent finds both ASICs as on a switch: in SONiC's own files.
    std::unique_ptr<test::SimulatedAgent> live_on_both()
    {
        std::ofstream{folder / "database_global.json"} << R"({"INCLUDES": [{"include": "../redis/database_config.json"},
                   {"namespace": "asic0", "include": "redis0.json"}, {"namespace": "asic1", "include": "redis1.json"}]})";
        write_databases("redis0.json", *redis);
        write_databases("redis1.json", *other_redis);
        driver = drivers::SonicDriver{folder / "database_global.json", {.wake = Duration{}}};
        return live_with("[[device]]\ndriver = \"sonic:local\"\n", folder.path(), {});
    }

    void write_databases(const std::string& file, const test::RedisServer& server)
    {
        std::ofstream{folder / file} << R"({"INSTANCES": {"redis": {"unix_socket_path": ")" << server.address().path
                                     << R"("}}, "DATABASES": {)"
                                     << R"("APPL_DB": {"id": 0, "instance": "redis"},)"
                                     << R"("COUNTERS_DB": {"id": 2, "instance": "redis"},)"
                                     << R"("CONFIG_DB": {"id": 4, "instance": "redis"},)"
                                     << R"("FLEX_COUNTER_DB": {"id": 5, "instance": "redis"},)"
                                     << R"("STATE_DB": {"id": 6, "instance": "redis"}}})";
    }

    // syncd polls on both switches.
    void run_both_until(const std::function<bool()>& done)
    {
        run_until([&] {
            other->poll(now());
            return done();
        });
    }

    std::unique_ptr<test::RedisServer> other_redis;
    std::unique_ptr<test::SonicSwitch> other;
};

TEST_F(SeveralAsicsOfASwitch, EachIsWatchedByItsOwnConfiguration)
{
    other->unwatch("Ethernet0");
    const auto agent = live_on_both();
    run_both_until([&] { return !sonic->has_plugins() && !other->has_plugins(); });
    const auto status = agent->control({"status"}).out;
    EXPECT_THAT(status, AllOf(HasSubstr("2 devices, 6 queues watched"), HasSubstr("asic0"), HasSubstr("asic1")));
    stormed = {"Ethernet0:3"};
    run_both_until([&] { return sonic->of_queue("Ethernet0:3", "PFC_WD_STATUS") == "stormed"; });
    calm("Ethernet0:3");
    run_both_until([&] { return sonic->of_queue("Ethernet0:3", "PFC_WD_STATUS") == "operational"; });
    EXPECT_THAT(other->messages(), testing::IsEmpty()) << "a port of the same name on the other ASIC";
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    run_both_until([&] { return sonic->has_plugins() && other->has_plugins(); });
}

TEST_F(SeveralAsicsOfASwitch, EachKnowsItsOwnServers)
{
    other->set(sonic::Db::config, "DEVICE_NEIGHBOR|Ethernet0", "name", "server-7");
    other->set(sonic::Db::config, "DEVICE_NEIGHBOR_METADATA|server-7", "type", "Server");
    const auto agent = live_on_both();
    run_both_until([&] { return !sonic->has_plugins() && !other->has_plugins(); });
    EXPECT_THAT(agent->control({"queues"}).out,
                AllOf(HasSubstr("server-facing ports of asic1: Ethernet0\n"), Not(HasSubstr("ports of asic0"))));
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

TEST_F(SeveralAsicsOfASwitch, AnAbsentAsicDoesNotDelayTheOther)
{
    other.reset();
    other_redis->kill();
    const auto agent = live_on_both();
    run_until([&] { return !sonic->has_plugins(); });
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("asic1"));
}

}  // namespace
}  // namespace petrel::daemon
