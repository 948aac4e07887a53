// SONiC around an agent, one exchange at a time: what waits for a Redis that is away, and what is remembered. No agent,
// a real redis-server.
#include "daemon/sonic/sonic_nos.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "support/redis_wait.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int kCounters = 2;
constexpr int kConfig = 4;
constexpr std::size_t kMostUnsaid = 10'000;

class SonicExchange : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        redis = std::make_unique<test::RedisServer>();
        fill();
        nos = std::make_unique<SonicNos>(sonic::at_one_address(redis->address()), sonic::Role::owner, file());
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
        return event;
    }
    static Nos::Told told(std::vector<NosEvent> events)
    {
        codec::QueueReport queue;
        queue.port = "Ethernet0";
        queue.priority = 3;
        queue.phase = "mitigated";
        Nos::Told told;
        told.queues = {queue};
        told.events = std::move(events);
        return told;
    }

    // Storms in SONiC's words.
    static std::vector<std::string> storms_in(const Nos::Heard& heard)
    {
        std::vector<std::string> found;
        for (const auto& line : heard.lines) {
            if (line.event == "pfcwd") {
                found.push_back(line.words);
            }
        }
        return found;
    }

    test::TemporaryFolder folder;
    std::unique_ptr<test::RedisServer> redis;
    std::unique_ptr<SonicNos> nos;
};

TEST_F(SonicExchange, AStormIsToldWhenItsQueueHasAName)
{
    redis->kill();
    const auto away = nos->exchange(told({event(watchdog::EventKind::storm_detected)}));
    EXPECT_NE(away.trouble, "");
    EXPECT_THAT(storms_in(away), IsEmpty());
    redis->start();
    fill();
    const auto back = storms_in(nos->exchange({}));
    ASSERT_THAT(back, SizeIs(1));
    EXPECT_THAT(back.front(), HasSubstr("on port Ethernet0, queue index 3, queue id 0x"));
    EXPECT_THAT(storms_in(nos->exchange({})), IsEmpty()) << "once";
}

TEST_F(SonicExchange, WhileNobodyListensTheOldestAreForgotten)
{
    redis->kill();
    std::vector<NosEvent> events(kMostUnsaid, event(watchdog::EventKind::storm_detected));
    events.insert(events.begin(), event(watchdog::EventKind::storm_restored));
    nos->exchange(told(std::move(events)));
    redis->start();
    fill();
    const auto said = storms_in(nos->exchange({}));
    ASSERT_THAT(said, SizeIs(kMostUnsaid));
    EXPECT_THAT(said.front(), HasSubstr("detected PFC storm"));
}

TEST_F(SonicExchange, WhereThereIsAnOrchagentOnlyTheEndOfAStormIsOursToTell)
{
    const auto listener = redis->connect(kCounters);
    redis::Pipeline subscribe;
    subscribe.add({"SUBSCRIBE", "sonic-events-swss"});
    ASSERT_TRUE(listener->run(subscribe));
    SonicNos detector{sonic::at_one_address(redis->address()), sonic::Role::detector, file()};
    detector.exchange(told({event(watchdog::EventKind::storm_detected), event(watchdog::EventKind::storm_restored)}));
    std::string first;
    while (first.empty()) {
        pollfd ready{listener->fd(), POLLIN, 0};
        ::poll(&ready, 1, -1);
        ASSERT_TRUE(listener->messages([&](redis::View message) {
            if (first.empty()) {
                first = message[2].text();
            }
        }));
    }
    EXPECT_THAT(first, HasSubstr("pfc-storm-restored"));
    EXPECT_FALSE(std::filesystem::exists(file())) << "a detector needs Redis anyway, and remembers nothing";
}

TEST_F(SonicExchange, WhatIsRememberedWasRightAtTheEndIfItCouldBeReadThen)
{
    nos->exchange({});
    make_old();
    ASSERT_TRUE(nos->leave());
    EXPECT_FALSE(is_old());
    make_old();
    redis->kill();
    nos->exchange({});
    EXPECT_FALSE(nos->leave());
    EXPECT_TRUE(is_old()) << "nobody knows";
}

TEST_F(SonicExchange, ADiskThatIsFullIsSaidAndKeepsNothingFromBeingInForce)
{
    std::filesystem::create_directory(file());
    const auto heard = nos->exchange({});
    EXPECT_TRUE(heard.policies);
    ASSERT_THAT(heard.lines, SizeIs(1));
    EXPECT_EQ(heard.lines.front().event, "nos_not_remembered");
}

}  // namespace
}  // namespace petrel::daemon
