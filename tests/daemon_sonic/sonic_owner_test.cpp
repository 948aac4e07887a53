// An agent that owns its switch, with SONiC's databases around it: a real redis-server, a switch in a file, and an
// agent in simulated time. A real process runs where Redis is slow, so that a call of the agent takes real time.
// Policies follow CONFIG_DB during storms. Whatever happens to Redis, the agent watches all queues, restores each one
// after its storm, and loses nothing that belongs in the tables.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "database_numbers.hpp"
#include "support/agent_process.hpp"
#include "support/redis_gate.hpp"
#include "support/redis_wait.hpp"
#include "support/shared_switch.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using test::Fields;
using test::SharedSwitch;
using test::SimulatedAgent;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;
using watchdog::Treatment;

constexpr auto kServerAway = "SONiC: Redis at ";

// Agent: AgentProcess or SimulatedAgent.
template <class Agent>
class SonicOwnerOf : public testing::Test {
protected:
    static constexpr bool kSimulated = std::is_same_v<Agent, SimulatedAgent>;

    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        redis = std::make_unique<test::RedisServer>();
        fill();
    }

    void fill() const
    {
        for (int port = 0; port != SharedSwitch::kPorts; ++port) {
            const auto name = "Ethernet" + std::to_string(port);
            test::write_hash(*redis, kConfig, "PORT|" + name, {{"speed", "100000"}});
            test::write_hash(*redis, kConfig, "PORT_QOS_MAP|" + name, {{"pfc_enable", "3"}, {"pfcwd_sw_enable", "3"}});
        }
        test::write_hash(*redis, kConfig, "PFC_WD|GLOBAL", {{"POLL_INTERVAL", "100"}});
        start_watchdog(1);
        start_watchdog(2);
        test::run_command(*redis, kConfig, {"SET", "CONFIG_DB_INITIALIZED", "1"});
    }

    void start_watchdog(int port, const std::string& action = "drop") const
    {
        test::write_hash(*redis, kConfig, "PFC_WD|Ethernet" + std::to_string(port),
                         {{"detection_time", "100"}, {"restoration_time", "300"}, {"action", action}});
    }
    void stop_watchdog(int port) const
    {
        test::run_command(*redis, kConfig, {"DEL", "PFC_WD|Ethernet" + std::to_string(port)});
    }

    std::unique_ptr<Agent> live(std::vector<std::string> flags = {})
    {
        flags.insert(flags.end(), {"--nos", "sonic", "--redis", to_text(through.value_or(redis->address()))});
        const auto config = "[[device]]\nname = \"sw\"\ndriver = \"shared:" + (folder / "switch").string() + "\"\n";
        if constexpr (kSimulated) {
            return std::make_unique<SimulatedAgent>(
                time,
                SimulatedAgent::Options{.folder = folder.path(), .config = config, .arguments = std::move(flags)});
        } else {
            return std::make_unique<AgentProcess>(AgentProcess::Options{.folder = folder.path(),
                                                                        .config = config,
                                                                        .program = PETREL_BIN_DIR "/petrel-test-agent",
                                                                        .arguments = std::move(flags)});
        }
    }

    // Waits until a hash has the wanted content, and returns it.
    Fields wait_for_hash(int database, const std::string& key, const std::function<bool(const Fields&)>& wanted) const
    {
        Fields now;
        EXPECT_TRUE(sw.wait_until([&] {
            now = test::read_hash(*redis, database, key);
            return wanted(now);
        })) << key;
        return now;
    }
    Fields wait_for_field(int database, const std::string& key, const std::string& field,
                          const std::string& value) const
    {
        return wait_for_hash(database, key, [&](const Fields& now) {
            const auto at = now.find(field);
            return (at != now.end() ? at->second : "") == value;
        });
    }

    void wait_for_treatment(std::uint16_t port, Treatment treatment)
    {
        ASSERT_TRUE(sw.wait_until([&] { return sw.in_force(port) == treatment; }));
    }

    // The object id of a name in a map, "oid:0x15000000000003", as a number.
    std::uint64_t number_of(const std::string& map, const std::string& name) const
    {
        const auto now = wait_for_hash(kCounters, map, [&](const Fields& fields) { return fields.contains(name); });
        return std::stoull(now.at(name).substr(std::string_view{"oid:"}.size()), nullptr, 16);
    }

    // Waits until the queue of a port is in the map, and returns the key of its counters.
    std::string key_of(int port) const
    {
        const auto name = "Ethernet" + std::to_string(port) + ":3";
        const auto map =
            wait_for_hash(kCounters, "COUNTERS_QUEUE_NAME_MAP", [&](const Fields& now) { return now.contains(name); });
        return "COUNTERS:" + map.at(name);
    }
    Fields wait_for_status(int port, const std::string& status) const
    {
        return wait_for_field(kCounters, key_of(port), "PFC_WD_STATUS", status);
    }

    test::TemporaryFolder folder;
    std::unique_ptr<test::RedisServer> redis;
    std::optional<redis::Address> through;  // a gate between the agent and Redis, if any
    test::SimulatedTime time;
    SharedSwitch sw{folder / "switch", kSimulated ? &time : nullptr};
};

using SonicOwner = SonicOwnerOf<SimulatedAgent>;
using SonicOwnerProcess = SonicOwnerOf<AgentProcess>;

TEST_F(SonicOwner, TablesShowAStormUntilItEnds)
{
    const auto agent = live();
    const auto calm = wait_for_status(1, "operational");
    EXPECT_THAT(calm, Contains(Pair("PFC_WD_DETECTION_TIME", "100000")));
    EXPECT_THAT(calm, Contains(Pair("PFC_WD_ACTION", "drop")));
    EXPECT_THAT(test::read_hash(*redis, kCounters, key_of(0)), Not(Contains(Key("PFC_WD_STATUS"))))
        << "PFC_WD does not name it";

    sw.storm(1);
    const auto storm = wait_for_status(1, "stormed");
    EXPECT_THAT(storm, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")));
    EXPECT_THAT(storm, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "0")));
    wait_for_field(kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1", "3", "storm");
    const auto object = key_of(1).substr(std::string{"COUNTERS:oid:"}.size());
    const auto line = agent->wait_for("PFC Watchdog detected PFC storm");
    EXPECT_THAT(line, HasSubstr("on port Ethernet1, queue index 3, queue id " + object + " and port id 0x"));
    EXPECT_THAT(line, testing::ContainsRegex(", additional info: occupancy:[0-9]+\\|pfc_duration:[0-9]+\\|"
                                             "pfc_duration_last:[0-9]+\\|timestamp:[0-9.]+\\|timestamp_last:[0-9.]+"
                                             "\\|effective_poll_time:[0-9.]+\\|paused:true\\."));
    const auto dropped = [](const Fields& now) { return std::stoull(now.at("PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS")); };
    const auto some = wait_for_hash(kCounters, key_of(1), dropped);
    wait_for_hash(kCounters, key_of(1), [&](const Fields& now) { return dropped(now) > dropped(some); });

    sw.calm(1);
    EXPECT_THAT(wait_for_status(1, "operational"), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "1")));
    wait_for_hash(kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1", &Fields::empty);
    EXPECT_THAT(agent->wait_for("PFC Watchdog storm restored"), HasSubstr("on port Ethernet1, queue index 3"));
}

// Like orchagent, the agent logs and counts each queue that pfcwd_sw_enable selects, and no other. It writes
// PFC_WD_TABLE_INSTORM for storms only.
TEST_F(SonicOwner, TheBigRedSwitchIsLoggedAndCountedAsByOrchagent)
{
    test::run_command(*redis, kConfig, {"DEL", "PORT_QOS_MAP|Ethernet0"});
    const auto agent = live();
    wait_for_status(1, "operational");
    test::write_hash(*redis, kConfig, "PFC_WD|GLOBAL", {{"BIG_RED_SWITCH", "enable"}});
    for (const int port : {1, 2}) {
        const auto on = wait_for_status(port, "stormed");
        EXPECT_THAT(on, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1"))) << port;
        EXPECT_THAT(on, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "0"))) << port;
        EXPECT_THAT(on, Contains(Pair("BIG_RED_SWITCH_MODE", "enable"))) << port;
        EXPECT_THAT(test::read_hash(*redis, kAppl, "PFC_WD_TABLE_INSTORM:Ethernet" + std::to_string(port)), IsEmpty());
    }
    stop_watchdog(2);  // the big red switch still mitigates the port; afterwards it is not watched
    test::write_hash(*redis, kConfig, "PFC_WD|GLOBAL", {{"BIG_RED_SWITCH", "disable"}});
    const auto off = wait_for_status(1, "operational");
    EXPECT_THAT(off, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")));
    EXPECT_THAT(off, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "1")));
    wait_for_field(kCounters, key_of(2), "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "1");
    wait_for_treatment(2, Treatment::none);

    sw.storm(1);
    agent->wait_for("PFC Watchdog detected PFC storm");
    const auto log = agent->log_text();
    for (const auto* mode : {"enabled", "disabled"}) {
        const auto line = fmt::format("PFC Watchdog BIG_RED_SWITCH mode {} on port ", mode);
        EXPECT_THAT(log, HasSubstr(line + "Ethernet1, queue index 3"));
        EXPECT_THAT(log, HasSubstr(line + "Ethernet2, queue index 3"));
        EXPECT_THAT(log, Not(HasSubstr(line + "Ethernet0"))) << "PFC is off on Ethernet0";
    }
    EXPECT_THAT(log, Not(HasSubstr("storm restored"))) << "no queue had a storm";
}

// `pfc config priority off` changes only pfc_enable.
TEST_F(SonicOwner, APriorityThatIsNoLongerLosslessIsReleasedInMidStorm)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    test::write_hash(*redis, kConfig, "PORT_QOS_MAP|Ethernet1", {{"pfc_enable", ""}});
    wait_for_treatment(1, Treatment::none);
    wait_for_hash(kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1", &Fields::empty);
}

TEST_F(SonicOwner, PortCountersShowPauses)
{
    const auto agent = live();
    sw.storm(1);
    key_of(1);  // waits until the agent has written the maps
    const auto ports = test::read_hash(*redis, kCounters, "COUNTERS_PORT_NAME_MAP");
    const auto key = "COUNTERS:" + ports.at("Ethernet1");
    const auto pause_us = [](const Fields& now) {
        const auto at = now.find("SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US");
        return at != now.end() ? std::stoull(at->second) : 0;
    };
    const auto first = wait_for_hash(kCounters, key, pause_us);
    wait_for_hash(kCounters, key, [&](const Fields& now) { return pause_us(now) > pause_us(first); });
    EXPECT_THAT(first, Contains(Pair("SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", "0")));
    EXPECT_THAT(first, Not(Contains(Key("SAI_PORT_STAT_PFC_3_RX_PKTS")))) << "the switch does not count frames";

    sw.calm(1);
    wait_for_field(kCounters, key, "SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", "1");
    const auto shown = agent->tool("pfcstat", {"--history", "--redis", to_text(redis->address())});
    EXPECT_THAT(shown.out, testing::ContainsRegex("Ethernet1 +PFC3 +1 +[1-9][0-9,]+ +N/A"));
    EXPECT_THAT(shown.out, testing::ContainsRegex("Ethernet2 +PFC3 +0 +0 +N/A"));
}

TEST_F(SonicOwner, PauseHistoryIsKeptForConfiguredPorts)
{
    test::write_hash(*redis, kConfig, "PFC_WD|Ethernet1", {{"pfc_stat_history", "enable"}});
    const auto agent = live();
    EXPECT_THAT(wait_for_status(1, "operational"), Contains(Pair("PFC_STAT_HISTORY", "enable")));
    EXPECT_THAT(wait_for_status(2, "operational"), Contains(Pair("PFC_STAT_HISTORY", "disable")));
    const auto before = time.clock().now().wall.time_since_epoch().count();
    sw.storm(1);
    sw.storm(2);
    const auto ports = test::read_hash(*redis, kCounters, "COUNTERS_PORT_NAME_MAP");
    const auto key = "COUNTERS:" + ports.at("Ethernet1");
    const auto storm = wait_for_hash(
        kCounters, key, [](const Fields& now) { return now.contains("EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIME_US"); });
    EXPECT_GE(std::stoll(storm.at("EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIMESTAMP")), before - 1000);
    sw.calm(1);
    wait_for_field(kCounters, key, "SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", "1");
    const auto shown = agent->tool("pfcstat", {"--history", "--redis", to_text(redis->address())});
    EXPECT_THAT(shown.out, testing::ContainsRegex("Ethernet1 +PFC3 +1 +[1-9][0-9,]+ +[1-9][0-9,]+ +[0-9/]+, [0-9:]+"));
    EXPECT_THAT(shown.out, testing::ContainsRegex("Ethernet2 +PFC3 +0 +[0-9,]+ +N/A +N/A"));
}

TEST_F(SonicOwner, PublishesTheBeginAndTheEndOfAStorm)
{
    const auto listener = redis->connect(kCounters);
    redis::Pipeline subscribe;
    subscribe.add({"SUBSCRIBE", "sonic-events-swss"});
    ASSERT_TRUE(listener->run(subscribe));
    const auto next = [&] {
        std::string event;
        EXPECT_TRUE(sw.wait_until([&] {
            EXPECT_TRUE(listener->messages([&](redis::View message) { event = message[2].text(); }));
            return !event.empty();
        }));
        return event;
    };
    const auto agent = live();
    sw.storm(1);
    const auto ids = fmt::format(R"("queue_id":"{}","port_id":"{}","timestamp":"20)",
                                 number_of("COUNTERS_QUEUE_NAME_MAP", "Ethernet1:3"),
                                 number_of("COUNTERS_PORT_NAME_MAP", "Ethernet1"));
    EXPECT_THAT(next(), AllOf(StartsWith(R"({"sonic-events-swss:pfc-storm":{"ifname":"Ethernet1","queue_index":"3",)"),
                              HasSubstr(ids), testing::EndsWith("}}")));
    sw.calm(1);
    EXPECT_THAT(next(), StartsWith(R"({"sonic-events-swss:pfc-storm-restored":{"ifname":"Ethernet1",)"));
}

TEST_F(SonicOwner, ConfigurationIsFollowedAtRunTime)
{
    const auto agent = live();
    wait_for_status(1, "operational");
    start_watchdog(3, "forward");
    EXPECT_THAT(wait_for_status(3, "operational"), Contains(Pair("PFC_WD_ACTION", "forward")));
    agent->wait_for("Started PFC Watchdog on port Ethernet3");
    sw.storm(3);
    wait_for_treatment(3, Treatment::ignore_pause);

    stop_watchdog(3);
    agent->wait_for("Stopped PFC Watchdog on port Ethernet3");
    wait_for_treatment(3, Treatment::none);
    const auto stopped =
        wait_for_hash(kCounters, key_of(3), [](const Fields& now) { return !now.contains("PFC_WD_STATUS"); });
    EXPECT_THAT(stopped, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1"))) << "statistics stay";
    wait_for_hash(kAppl, "PFC_WD_TABLE_INSTORM:Ethernet3", &Fields::empty);
}

TEST_F(SonicOwner, AnotherActionIsAppliedInTheMiddleOfAStorm)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    start_watchdog(1, "forward");
    wait_for_treatment(1, Treatment::ignore_pause);
    start_watchdog(1, "alert");
    wait_for_treatment(1, Treatment::none);
    EXPECT_THAT(wait_for_status(1, "stormed"), Not(IsEmpty())) << "the storm goes on, but is not mitigated";
}

TEST_F(SonicOwner, APriorityThatIsNoLongerSelectedIsReleased)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    test::write_hash(*redis, kConfig, "PORT_QOS_MAP|Ethernet1", {{"pfcwd_sw_enable", "4"}});
    wait_for_treatment(1, Treatment::none);
    test::write_hash(*redis, kConfig, "PORT_QOS_MAP|Ethernet1", {{"pfcwd_sw_enable", "3,4"}});
    wait_for_treatment(1, Treatment::drop);
}

TEST_F(SonicOwner, RemovingAPortEndsItsStorm)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_status(1, "stormed");
    sw.have_ports({0, 2, 3});
    EXPECT_THAT(wait_for_status(1, ""), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")))
        << "statistics stay";
    wait_for_hash(kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1", &Fields::empty);
    wait_for_hash(kState, "PFC_WD_SW_STATE_TABLE|Ethernet1:3", &Fields::empty);
    sw.storm(2);
    wait_for_status(2, "stormed");
}

TEST_F(SonicOwner, AnInvalidEntryIsReportedAndTheOthersStay)
{
    const auto agent = live();
    wait_for_status(1, "operational");
    test::write_hash(*redis, kConfig, "PFC_WD|Ethernet2", {{"detection_time", "50"}});
    EXPECT_THAT(agent->wait_for("nos_entry_bad"), HasSubstr("PFC_WD|Ethernet2: detection_time is '50'"));
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
}

TEST_F(SonicOwner, AnEntryThatBecomesInvalidDuringAStormKeepsItsPolicy)
{
    auto agent = live();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    test::write_hash(*redis, kConfig, "PFC_WD|Ethernet1", {{"detection_time", "40"}});
    EXPECT_THAT(agent->wait_for("nos_entry_bad"), HasSubstr("its last valid version stays in force"));
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("PFC_WD|Ethernet1: detection_time is '40'"));
    EXPECT_EQ(sw.in_force(1), Treatment::drop);
    sw.calm(1);
    wait_for_treatment(1, Treatment::none);
    agent.reset();
    agent = live();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
}

TEST_F(SonicOwner, DisabledPollingStopsTheWatchAndShowsInTheStatus)
{
    const auto agent = live();
    wait_for_status(1, "operational");
    test::write_hash(*redis, kConfig, "FLEX_COUNTER_TABLE|PFCWD", {{"FLEX_COUNTER_STATUS", "disable"}});
    EXPECT_THAT(agent->wait_for("nos_idle"), HasSubstr("counter_poll"));
    wait_for_status(1, "");
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("counter_poll"));
    test::write_hash(*redis, kConfig, "FLEX_COUNTER_TABLE|PFCWD", {{"FLEX_COUNTER_STATUS", "enable"}});
    wait_for_status(1, "operational");
}

TEST_F(SonicOwner, TheBigRedSwitchMitigatesEveryLosslessQueue)
{
    const auto agent = live();
    wait_for_status(1, "operational");
    test::write_hash(*redis, kConfig, "PFC_WD|GLOBAL", {{"BIG_RED_SWITCH", "enable"}});
    for (std::uint16_t port = 0; port != SharedSwitch::kPorts; ++port) {
        wait_for_treatment(port, Treatment::drop);
        wait_for_field(kCounters, key_of(port), "BIG_RED_SWITCH_MODE", "enable");
    }
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("the big red switch is on"));
    EXPECT_THAT(agent->wait_for("BIG_RED_SWITCH mode enabled"), HasSubstr("on port Ethernet0, queue index 3"));
    test::write_hash(*redis, kConfig, "PFC_WD|GLOBAL", {{"BIG_RED_SWITCH", "disable"}});
    for (std::uint16_t port = 0; port != SharedSwitch::kPorts; ++port) {
        wait_for_treatment(port, Treatment::none);
        wait_for_field(kCounters, key_of(port), "BIG_RED_SWITCH_MODE", "");
    }
    EXPECT_THAT(agent->log_text(), Not(HasSubstr("PFC storm"))) << "there was no storm";
    EXPECT_THAT(agent->log_text(), Not(HasSubstr("storm restored")));
}

TEST_F(SonicOwner, AChangedAlphaIsLoggedAndChangesNothing)
{
    test::write_hash(*redis, kConfig, "BUFFER_PROFILE|lossless", {{"dynamic_th", "0"}});
    const auto agent = live();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    test::write_hash(*redis, kConfig, "BUFFER_PROFILE|lossless", {{"dynamic_th", "-3"}});
    EXPECT_THAT(agent->wait_for("alpha_not_programmed"),
                AllOf(HasSubstr("lossless: dynamic_th changed from 0 to -3"), HasSubstr("no process programs it")));
    EXPECT_THAT(agent->log_text(), Not(HasSubstr("alpha_changed")));
    const auto refused = agent->tool("mmuconfig", {"-p", "lossless", "-a", "1", "--redis", to_text(redis->address())});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("nothing was changed: petrel agent owns this switch"));
    wait_for_field(kConfig, "BUFFER_PROFILE|lossless", "dynamic_th", "-3");
    for (const std::vector<std::string>& list : {std::vector<std::string>{"-l"}, {"-l", "--json"}}) {
        auto arguments = list;
        arguments.insert(arguments.end(), {"--redis", to_text(redis->address())});
        const auto listed = agent->tool("mmuconfig", arguments);
        EXPECT_EQ(listed.exit_code, 0);
        EXPECT_THAT(listed.out, HasSubstr("lossless"));
        EXPECT_THAT(listed.err,
                    HasSubstr("Note: all values are those of CONFIG_DB, and none of them is in the switch"));
    }
    EXPECT_EQ(sw.in_force(1), Treatment::drop);
    sw.calm(1);
    wait_for_treatment(1, Treatment::none);
}

TEST_F(SonicOwner, ClearedStatisticsStayCleared)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_status(1, "stormed");
    sw.calm(1);
    wait_for_status(1, "operational");
    const auto cleared = agent->tool("pfcwd", {"clear", "--redis", to_text(redis->address())});
    EXPECT_EQ(cleared.exit_code, 0) << cleared.err;
    sw.storm(1);
    EXPECT_THAT(wait_for_status(1, "stormed"), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")))
        << "the agent has not counted on";
}

TEST_F(SonicOwner, StatisticsOfAStormUnderWayAreNotCleared)
{
    const auto agent = live();
    const auto clear = [&](std::vector<std::string> queues) {
        std::vector<std::string> arguments{"clear"};
        arguments.insert(arguments.end(), queues.begin(), queues.end());
        arguments.insert(arguments.end(), {"--redis", to_text(redis->address())});
        const auto ended = agent->tool("pfcwd", std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    };
    sw.storm(1);
    sw.storm(2);
    wait_for_status(2, "stormed");
    wait_for_status(1, "stormed");
    sw.calm(1);
    wait_for_status(1, "operational");
    EXPECT_EQ(clear({"Ethernet2:3"}), "SKIPPED: storm on queue: Ethernet2:3\n");
    EXPECT_THAT(test::read_hash(*redis, kCounters, key_of(1)),
                Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")))
        << "another one was meant";
    EXPECT_EQ(clear({}), "SKIPPED: storm on queue: Ethernet2:3\n");

    test::run_command(*redis, kCounters, {"FLUSHDB"});  // the agent writes its own values again
    wait_for_field(kCounters, key_of(1), "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "0");
    EXPECT_THAT(wait_for_status(2, "stormed"), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")));
    sw.calm(2);
    EXPECT_THAT(wait_for_status(2, "operational"), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "1")));
}

// ------------------------------------------------------------------------------------------ failures of Redis

TEST_F(SonicOwner, DetectionContinuesWithoutRedisAndTablesAreWrittenAgain)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_status(1, "stormed");
    redis->kill();
    EXPECT_THAT(agent->wait_for("nos_trouble"), HasSubstr("the last configuration stays in force"));
    sw.storm(2);
    wait_for_treatment(2, Treatment::drop);
    sw.calm(1);
    wait_for_treatment(1, Treatment::none);

    redis->start();
    fill();
    agent->wait_for("nos_good");
    const auto log = agent->log_text();
    const auto first = log.find(kServerAway);
    EXPECT_EQ(log.find(kServerAway, first + 1), std::string::npos) << "logged twice: " << log;
    EXPECT_THAT(wait_for_status(2, "stormed"), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")));
    const auto over = wait_for_status(1, "operational");
    EXPECT_THAT(over, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")));
    EXPECT_THAT(over, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "1")));
    EXPECT_THAT(test::read_hash(*redis, kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1"), IsEmpty());
    wait_for_field(kAppl, "PFC_WD_TABLE_INSTORM:Ethernet2", "3", "storm");
}

TEST_F(SonicOwner, AnEmptyRedisKeepsTheConfiguration)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    redis->kill();
    redis->start();
    EXPECT_THAT(agent->wait_for("CONFIG_DB is not filled yet"), Not(IsEmpty()));
    wait_for_status(1, "stormed");  // the agent writes the tables before CONFIG_DB is filled
    EXPECT_EQ(sw.in_force(1), Treatment::drop);
    fill();
    agent->wait_for("nos_good");
    sw.calm(1);
    wait_for_treatment(1, Treatment::none);
}

TEST_F(SonicOwner, FlushedTablesAreWrittenAgainWithStatistics)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_status(1, "stormed");
    sw.calm(1);
    wait_for_status(1, "operational");
    test::run_command(*redis, kConfig, {"FLUSHALL"});
    fill();
    const auto again = wait_for_field(kCounters, key_of(1), "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "1");
    EXPECT_THAT(again, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")));
    EXPECT_THAT(again, Contains(Pair("PFC_WD_STATUS", "operational")));
    const auto ports = test::read_hash(*redis, kCounters, "COUNTERS_PORT_NAME_MAP");
    wait_for_field(kCounters, "COUNTERS:" + ports.at("Ethernet1"), "SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", "1");
}

TEST_F(SonicOwnerProcess, AHangingRedisDelaysNeitherWatchNorStop)
{
    const auto agent = live();
    wait_for_status(1, "operational");
    redis->freeze();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    EXPECT_THAT(agent->wait_for("nos_trouble"), HasSubstr("no answer in time"));
    redis->thaw();
    wait_for_status(1, "stormed");
}

// Each command takes some milliseconds, so that writing the fields of a few queues takes longer than a poll.
TEST_F(SonicOwnerProcess, ASlowRedisDelaysTheTablesAndNotTheWatch)
{
    const test::RedisGate gate{redis->address(), [] { ::poll(nullptr, 0, 3); }};
    through = gate.address();
    const auto agent = live();
    key_of(1);  // waits until the agent has read the configuration
    for (int i = 0; i != 2; ++i) {
        sw.storm(1);
        wait_for_treatment(1, Treatment::drop);
        sw.calm(1);
        wait_for_treatment(1, Treatment::none);
    }
    wait_for_field(kCounters, key_of(1), "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "2");
    EXPECT_THAT(agent->log_text(), Not(HasSubstr("nos_trouble")));
}

TEST_F(SonicOwner, WithoutAConfigurationNothingIsWatched)
{
    redis->kill();
    {
        const auto agent = live();
        agent->wait_for("nos_trouble");
        EXPECT_EQ(sw.looks(), 0U);
        EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    }
    redis->start();
    fill();
    const auto agent = live();
    EXPECT_THAT(agent->wait_for("agent_ready"), Not(IsEmpty()));
}

TEST_F(SonicOwner, AStartWithoutRedisUsesTheSavedConfiguration)
{
    {
        const auto before = live();
        wait_for_status(1, "operational");
        EXPECT_EQ(before->stop(), 0) << before->log_text();
    }
    redis->kill();
    const auto agent = live();
    EXPECT_THAT(agent->wait_for("nos_remembered"),
                testing::ContainsRegex("uses .*/state/config_db.json, the content of CONFIG_DB at 20"));
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);

    redis->start();
    agent->wait_for("CONFIG_DB is not filled yet");
    EXPECT_EQ(sw.in_force(1), Treatment::drop);
    fill();
    stop_watchdog(1);
    start_watchdog(3, "forward");
    wait_for_treatment(1, Treatment::none);
    sw.storm(3);
    wait_for_treatment(3, Treatment::ignore_pause);
    EXPECT_EQ(agent->stop(), 0);
    EXPECT_THAT(agent->log_text(), Not(testing::ContainsRegex("nos_remembered.*nos_remembered")))
        << "the line is logged once";
}

TEST_F(SonicOwner, AStartWithAnEmptyRedisUsesTheSavedConfiguration)
{
    {
        const auto before = live();
        wait_for_status(1, "operational");
        before->kill();
    }
    test::run_command(*redis, kConfig, {"FLUSHALL"});
    const auto agent = live();
    EXPECT_THAT(agent->wait_for("nos_remembered"), Not(IsEmpty()));
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
}

TEST_F(SonicOwner, AnUnreadableSavedConfigurationIsReportedAndNotUsed)
{
    redis->kill();
    std::filesystem::create_directories(folder / "state");
    std::ofstream{folder / "state" / "config_db.json"} << R"({"PFC_WD": {"Ethernet1": {"detection_ti)";
    const auto agent = live();
    EXPECT_THAT(agent->wait_for("nos_memory_bad"), HasSubstr("config_db.json:1:40: allowed JSON (syntax error"));
    EXPECT_EQ(sw.looks(), 0U);
    redis->start();
    fill();
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
}

// ------------------------------------------------------------------------------------------------ restarts

TEST_F(SonicOwner, AStormContinuesAcrossAKill)
{
    auto agent = live();
    sw.storm(1);
    wait_for_status(1, "stormed");
    agent->kill();
    EXPECT_EQ(sw.in_force(1), Treatment::drop);
    agent = live();
    agent->wait_for("agent_ready");
    sw.calm(1);
    EXPECT_THAT(wait_for_status(1, "operational"), Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")))
        << "one storm, not two";
    EXPECT_EQ(sw.in_force(1), Treatment::none);
}

TEST_F(SonicOwner, AStaleRowOfAStormDoesNotMitigate)
{
    test::write_hash(*redis, kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1", {{"3", "storm"}});
    const auto agent = live();
    wait_for_status(1, "operational");
    wait_for_hash(kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1", &Fields::empty);
    EXPECT_EQ(sw.in_force(1), Treatment::none);
}

TEST_F(SonicOwner, AStopRemovesItsEntries)
{
    const auto agent = live();
    sw.storm(1);
    wait_for_status(1, "stormed");
    const auto key = key_of(1);
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    EXPECT_EQ(sw.in_force(1), Treatment::none);
    const auto left = test::read_hash(*redis, kCounters, key);
    EXPECT_THAT(left, Not(Contains(Key("PFC_WD_STATUS"))));
    EXPECT_THAT(left, Contains(Pair("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1")));
    EXPECT_THAT(test::read_hash(*redis, kAppl, "PFC_WD_TABLE_INSTORM:Ethernet1"), IsEmpty());
    EXPECT_THAT(test::read_hash(*redis, kState, "PFC_WD_SW_STATE_TABLE|Ethernet1:3"), IsEmpty());
}

}  // namespace
}  // namespace petrel::daemon
