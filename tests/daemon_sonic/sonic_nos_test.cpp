// SonicNos, one exchange at a time: what it keeps while Redis is not running, and what it stores. No agent, a real
// redis-server.
#include "daemon/sonic/sonic_nos.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "database_numbers.hpp"
#include "runtime/event_loop.hpp"
#include "support/redis_wait.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kMostUnpublished = 10'000;

class SonicExchange : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        redis = std::make_unique<test::RedisServer>();
        fill();
        nos = std::make_unique<SonicNos>(sonic::at_one_address(redis->address()), sonic::Role::owner, file(), clock);
    }

    void fill() const { test::run_command(*redis, kConfig, {"SET", "CONFIG_DB_INITIALIZED", "1"}); }

    std::filesystem::path file() const { return folder / "config_db.json"; }
    void make_old() const { std::filesystem::last_write_time(file(), {}); }
    bool is_old() const { return std::filesystem::last_write_time(file()) == std::filesystem::file_time_type{}; }

    static NosEvent event(watchdog::EventKind kind)
    {
        NosEvent event;
        event.kind = kind;
        event.port = "Ethernet0";
        event.priority = 3;
        event.cause = 1;
        return event;
    }
    static control::QueueReport queue(watchdog::Phase phase)
    {
        control::QueueReport queue;
        queue.port = "Ethernet0";
        queue.priority = 3;
        queue.policy = "pfcwd";
        queue.phase = phase;
        return queue;
    }
    static Nos::Report report(std::vector<NosEvent> events)
    {
        Nos::Report report;
        report.queues = {queue(watchdog::Phase::mitigated)};
        report.events = std::move(events);
        return report;
    }
    static Nos::Report report(const control::QueueReport& queue)
    {
        Nos::Report report;
        report.queues = {queue};
        return report;
    }

    std::unique_ptr<redis::Connection> listen_to(std::initializer_list<std::string_view> channels) const
    {
        auto listener = redis->connect(kCounters);
        redis::Pipeline subscribe;
        for (const auto channel : channels) {
            subscribe.add({"SUBSCRIBE", channel});
        }
        EXPECT_TRUE(listener->run(subscribe));
        return listener;
    }
    // Waits for a message, and returns all that have arrived.
    static std::vector<std::string> received_by(redis::Connection& listener)
    {
        std::vector<std::string> messages;
        while (messages.empty()) {
            pollfd ready{listener.fd(), POLLIN, 0};
            ::poll(&ready, 1, -1);
            EXPECT_TRUE(listener.messages([&](redis::View message) { messages.emplace_back(message[2].text()); }));
        }
        return messages;
    }

    // The log lines about storms, in SONiC's format.
    static std::vector<std::string> storms_in(const Nos::Reply& reply)
    {
        std::vector<std::string> found;
        for (const auto& line : reply.lines) {
            if (line.event == "pfcwd") {
                found.push_back(line.message);
            }
        }
        return found;
    }

    test::TemporaryFolder folder;
    std::unique_ptr<test::RedisServer> redis;
    runtime::SystemClock clock;
    std::unique_ptr<SonicNos> nos;
};

TEST_F(SonicExchange, PoliciesAreReturnedOnlyIfTheyChanged)
{
    const auto set = [&](const std::string& key, const test::Fields& fields) {
        test::write_hash(*redis, kConfig, key, fields);
    };
    // Repeats the exchange until it returns policies or log lines: Redis delivers notifications with a delay.
    const auto exchange_until_reply = [&] {
        for (;;) {
            if (auto reply = nos->exchange({}); reply.policies || !reply.lines.empty()) {
                return reply;
            }
        }
    };
    EXPECT_TRUE(exchange_until_reply().policies) << "the first reply has an empty configuration";
    set("BUFFER_PROFILE|lossless", {{"dynamic_th", "0"}});
    set("PORT|Ethernet0", {{"admin_status", "up"}});
    set("PORT_QOS_MAP|Ethernet0", {{"pfc_enable", "3,4"}, {"pfcwd_sw_enable", "3,4"}});
    const auto news = [&](const std::string& key, const test::Fields& fields) {
        set(key, fields);
        return exchange_until_reply().policies.has_value();
    };
    EXPECT_TRUE(news("PFC_WD|Ethernet0", {{"restoration_time", "400"}, {"detection_time", "400"}}));

    set("PORT|Ethernet0", {{"description", "to server 1"}});
    set("BUFFER_PROFILE|lossless", {{"dynamic_th", "-3"}});
    const auto alpha = exchange_until_reply();
    EXPECT_FALSE(alpha.policies);
    ASSERT_THAT(alpha.lines, SizeIs(1));
    EXPECT_EQ(alpha.lines.front().event, "alpha_not_programmed");

    EXPECT_TRUE(news("PFC_WD|Ethernet0", {{"detection_time", "401"}}));
    EXPECT_TRUE(news("PFC_WD|Ethernet0", {{"action", "alert"}}));
    EXPECT_TRUE(news("PFC_WD|GLOBAL", {{"POLL_INTERVAL", "101"}}));
    EXPECT_TRUE(news("PORT_QOS_MAP|Ethernet0", {{"pfcwd_sw_enable", "3"}}));
    EXPECT_TRUE(news("PFC_WD|GLOBAL", {{"BIG_RED_SWITCH", "enable"}}));
}

// The agent names and counts bad entries and values. Their number and size fill neither the log nor the memory.
TEST_F(SonicExchange, ABadDatabaseDoesNotFloodTheLog)
{
    test::run_command(*redis, kConfig,
                      {"EVAL",
                       "for i = 1, 200000 do redis.call('HSET', 'PFC_WD|Bad' .. i, 'detection_time', 'x') end "
                       "redis.call('HSET', 'PFC_WD|GLOBAL', 'POLL_INTERVAL', string.rep('7', 104857600)) "
                       "redis.call('HSET', 'PFC_WD|' .. string.rep('7', 104857600), 'a', 'b')",
                       "0"});
    const auto reply = nos->exchange({});
    EXPECT_EQ(reply.trouble, "");
    ASSERT_THAT(reply.lines, SizeIs(21));
    EXPECT_THAT(reply.lines.front().message,
                HasSubstr("POLL_INTERVAL is '" + std::string(64, '7') + "… and 104857536 more bytes'"));
    EXPECT_EQ(reply.lines.back().message, "and 199981 more entries that are not in force");
    for (const auto& line : reply.lines) {
        EXPECT_EQ(line.event, "nos_entry_bad");
        EXPECT_LT(line.message.size(), 1000U);
    }
    EXPECT_THAT(reply.concern, HasSubstr("(and 200000 more)"));
}

TEST_F(SonicExchange, AStormIsLoggedOnceItsQueueHasAnObjectId)
{
    redis->kill();
    const auto away = nos->exchange(report({event(watchdog::EventKind::storm_detected)}));
    EXPECT_NE(away.trouble, "");
    EXPECT_THAT(storms_in(away), IsEmpty());
    redis->start();
    fill();
    const auto back = storms_in(nos->exchange({}));
    ASSERT_THAT(back, SizeIs(1));
    EXPECT_THAT(back.front(), HasSubstr("on port Ethernet0, queue index 3, queue id 0x"));
    EXPECT_THAT(storms_in(nos->exchange({})), IsEmpty()) << "once";
}

TEST_F(SonicExchange, UnpublishedEventsAreBounded)
{
    redis->kill();
    std::vector<NosEvent> events(kMostUnpublished, event(watchdog::EventKind::storm_detected));
    events.insert(events.begin(), event(watchdog::EventKind::storm_restored));
    nos->exchange(report(std::move(events)));
    redis->start();
    fill();
    const auto logged = storms_in(nos->exchange({}));
    ASSERT_THAT(logged, SizeIs(kMostUnpublished));
    EXPECT_THAT(logged.front(), HasSubstr("detected PFC storm"));
}

TEST_F(SonicExchange, ADetectorPublishesOnlyTheEndOfAStorm)
{
    const auto listener = listen_to({"sonic-events-swss"});
    SonicNos detector{sonic::at_one_address(redis->address()), sonic::Role::detector, file(), clock};
    detector.exchange(report({event(watchdog::EventKind::storm_detected), event(watchdog::EventKind::storm_restored)}));
    EXPECT_THAT(received_by(*listener).front(), HasSubstr("pfc-storm-restored"));
    EXPECT_FALSE(std::filesystem::exists(file())) << "a detector cannot work without Redis and saves no configuration";
}

// orchagent mitigates every storm that it receives. A storm that is withheld must therefore not reach it.
TEST_F(SonicExchange, ADetectorSendsOnlyAlertsToOrchagent)
{
    test::write_hash(*redis, kCounters, "COUNTERS_QUEUE_NAME_MAP", {{"Ethernet0:3", "oid:0x15"}});
    const auto listener = listen_to({"PFC_WD_ACTION"});
    SonicNos detector{sonic::at_one_address(redis->address()), sonic::Role::detector, file(), clock};
    auto spared = event(watchdog::EventKind::storm_alert);
    spared.configured = watchdog::Treatment::drop;
    spared.reason = watchdog::Reason::blast_radius;
    auto restored = spared;
    restored.kind = watchdog::EventKind::storm_restored;
    auto refused = spared;
    refused.reason = watchdog::Reason::refused;
    detector.exchange(report({spared, restored, refused, event(watchdog::EventKind::storm_alert)}));
    EXPECT_THAT(received_by(*listener), testing::ElementsAre(R"(["oid:0x15","storm"])"));
}

// The operator runs `pfcwd stop` during an alert.
TEST_F(SonicExchange, NoEndIsSentForAPortWithoutAnEntry)
{
    test::write_hash(*redis, kCounters, "COUNTERS_QUEUE_NAME_MAP",
                     {{"Ethernet0:3", "oid:0x15"}, {"Ethernet4:3", "oid:0x16"}});
    test::write_hash(*redis, kConfig, "PFC_WD|Ethernet4", {{"action", "alert"}});
    const auto listener = listen_to({"PFC_WD_ACTION"});
    SonicNos detector{sonic::at_one_address(redis->address()), sonic::Role::detector, file(), clock};
    const auto stopped = event(watchdog::EventKind::storm_restored);
    auto watched = stopped;
    watched.port = "Ethernet4";
    detector.exchange(report({stopped, watched}));
    EXPECT_THAT(received_by(*listener), testing::ElementsAre(R"(["oid:0x16","restore"])"));
}

TEST_F(SonicExchange, AnAlertIsRepeatedAfterARestartOfOrchagent)
{
    test::write_hash(*redis, kCounters, "COUNTERS_QUEUE_NAME_MAP", {{"Ethernet0:3", "oid:0x15"}});
    test::write_hash(*redis, kCounters, "COUNTERS:oid:0x15", {{"PFC_WD_STATUS", "operational"}});
    SonicNos detector{sonic::at_one_address(redis->address()), sonic::Role::detector, file(), clock};
    auto alerted = queue(watchdog::Phase::alerted);
    alerted.configured = watchdog::Treatment::none;
    detector.exchange(report(alerted));
    const auto orchagent = listen_to({"PFC_WD_ACTION"});
    for (pollfd ready{orchagent->fd(), POLLIN, 0}; ::poll(&ready, 1, 0) == 0;) {
        EXPECT_EQ(detector.exchange({}).trouble, "");
    }
    EXPECT_THAT(received_by(*orchagent).front(), R"(["oid:0x15","storm"])");
}

TEST_F(SonicExchange, AServerThatStartsFromItsFileShowsNoStormThatIsOver)
{
    nos->exchange(report(queue(watchdog::Phase::mitigated)));
    test::run_command(*redis, kCounters, {"SAVE"});
    nos->exchange(report(queue(watchdog::Phase::watching)));
    redis->kill();
    redis->start();
    const auto object = test::read_hash(*redis, kCounters, "COUNTERS_QUEUE_NAME_MAP").at("Ethernet0:3");
    const auto status = [&] { return test::read_hash(*redis, kCounters, "COUNTERS:" + object)["PFC_WD_STATUS"]; };
    EXPECT_EQ(status(), "stormed");
    EXPECT_NE(nos->exchange({}).trouble, "");
    EXPECT_EQ(nos->exchange({}).trouble, "");
    EXPECT_EQ(status(), "operational");
    EXPECT_THAT(test::read_hash(*redis, kAppl, "PFC_WD_TABLE_INSTORM:Ethernet0"), IsEmpty());
}

TEST_F(SonicExchange, AMissingConfigurationIsReportedUntilItReturns)
{
    EXPECT_EQ(nos->exchange({}).trouble, "");
    test::run_command(*redis, kConfig, {"DEL", "CONFIG_DB_INITIALIZED"});
    while (nos->exchange({}).trouble.empty()) {
        // the notification of the server takes some time
    }
    EXPECT_EQ(nos->exchange({}).trouble, "CONFIG_DB is not filled yet");
    EXPECT_EQ(nos->exchange({}).trouble, "CONFIG_DB is not filled yet");
    fill();
    EXPECT_EQ(nos->exchange({}).trouble, "");
}

TEST_F(SonicExchange, EventsAreLoggedWhileRedisIsDown)
{
    nos->exchange(report(queue(watchdog::Phase::watching)));
    redis->kill();
    const auto away = nos->exchange(report({event(watchdog::EventKind::storm_detected)}));
    EXPECT_NE(away.trouble, "");
    EXPECT_THAT(storms_in(away), testing::ElementsAre(HasSubstr("detected PFC storm on port Ethernet0")));
    redis->start();
    fill();
    EXPECT_THAT(storms_in(nos->exchange({})), IsEmpty()) << "once";
}

TEST(SonicLogOfPorts, LogsPortsWhoseWatchBeginsOrEnds)
{
    SonicLog log{sonic::Role::owner, SonicLog::Thresholds::of_device};
    sonic::Config config;
    const auto messages = [&] {
        SonicLog::Lines lines;
        log.configured(config, {}, lines);
        std::vector<std::string> logged;
        for (const auto& line : lines) {
            logged.push_back(line.message);
        }
        return logged;
    };
    const std::string kStarted = "Started PFC Watchdog on port Ethernet";
    const std::string kStopped = "Stopped PFC Watchdog on port Ethernet";
    config::PolicyEntry entry;
    entry.policy.name = "pfcwd-drop-400-400";
    entry.ports = {{"Ethernet0", {}}, {"Ethernet4", {}}};
    config.policies.policies = {entry};
    EXPECT_THAT(messages(), testing::ElementsAre(kStarted + "0", kStarted + "4"));
    EXPECT_THAT(messages(), IsEmpty());
    config.policies.policies.front().policy.name = "pfcwd-alert-400-400";
    config.policies.policies.front().ports.pop_back();
    EXPECT_THAT(messages(), testing::ElementsAre(kStarted + "0", kStopped + "4"));
    config.policies.policies.clear();
    config.idle = "polling is disabled";
    EXPECT_THAT(messages(), testing::ElementsAre(config.idle)) << "the ports are configured as before";
    config.idle = {};
    EXPECT_THAT(messages(), testing::ElementsAre(kStopped + "0"));
}

TEST_F(SonicExchange, TheSavedConfigurationIsConfirmedAtTheStopIfItCouldBeRead)
{
    nos->exchange({});
    make_old();
    ASSERT_TRUE(nos->leave());
    EXPECT_FALSE(is_old());
    make_old();
    redis->kill();
    nos->exchange({});
    EXPECT_FALSE(nos->leave());
    EXPECT_TRUE(is_old()) << "CONFIG_DB could not be read: nothing confirms the saved configuration";
}

TEST_F(SonicExchange, AFullDiskIsReportedAndTheConfigurationIsInForce)
{
    std::filesystem::create_directory(file());
    const auto reply = nos->exchange({});
    EXPECT_TRUE(reply.policies);
    ASSERT_THAT(reply.lines, SizeIs(1));
    EXPECT_EQ(reply.lines.front().event, "nos_not_remembered");
}

}  // namespace
}  // namespace petrel::daemon
