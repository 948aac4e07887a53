#include "redis/connection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "support/redis_server.hpp"

namespace petrel::redis {
namespace {

using namespace std::chrono_literals;

TEST(RedisConnection, AnswersComeInTheOrderOfTheCommands)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    const auto connection = server.connect(2);
    Pipeline pipeline;
    constexpr std::size_t kMany = 5000;  // more than fit in flight
    for (std::size_t i = 0; i != kMany; ++i) {
        pipeline.add({"ECHO", fmt::format("{}", i)});
    }
    std::size_t right = 0;
    ASSERT_TRUE(connection->run(pipeline, [&](std::size_t command, View reply) {
        right += reply.text() == fmt::format("{}", command) ? 1U : 0U;
    }));
    EXPECT_EQ(right, kMany);
}

TEST(RedisConnection, KeepsBytesAsTheyAre)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    const auto connection = server.connect(0);
    const std::string odd{"a\0\r\n$3\xff", 8};
    Pipeline pipeline;
    pipeline.add({"HSET", "key", odd, odd}).add({"HMGET", "key", odd, "none"}).add({"HLEN", "key"});
    ASSERT_TRUE(connection->run(pipeline, [&](std::size_t command, View reply) {
        if (command == 1) {
            ASSERT_EQ(reply.size(), 2U);
            EXPECT_EQ(reply[0].text(), odd);
            EXPECT_TRUE(reply[1].nothing());
        } else {
            EXPECT_EQ(reply.number(), 1);
        }
    }));
}

// The value is never held completely, and the replies after it are read correctly.
TEST(RedisConnection, AValueOf100MiBArrivesCut)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    const auto connection = server.connect(0);
    Pipeline pipeline;
    pipeline.add({"EVAL", "redis.call('HSET', 'key', 'field', string.rep('9', 104857600))", "0"})
        .add({"HGETALL", "key"})
        .add({"ECHO", "still there"});
    std::vector<std::string> texts;
    ASSERT_TRUE(connection->run(pipeline, [&](std::size_t command, View reply) {
        texts.emplace_back(command == 1 ? reply[1].text() : reply.text());
    }));
    EXPECT_EQ(texts,
              (std::vector<std::string>{"", std::string(64, '9') + "… and 104857536 more bytes", "still there"}));
}

TEST(RedisConnection, AMessageOf10MiBArrivesCut)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    const auto listener = server.connect(0);
    Pipeline subscribe;
    subscribe.add({"SUBSCRIBE", "channel"});
    ASSERT_TRUE(listener->run(subscribe));
    Pipeline publish;
    publish.add({"EVAL", "redis.call('PUBLISH', 'channel', string.rep('9', 10485760))", "0"});
    ASSERT_TRUE(server.connect(0)->run(publish));
    std::string text;
    while (text.empty()) {
        pollfd ready{listener->fd(), POLLIN, 0};
        ::poll(&ready, 1, -1);
        ASSERT_TRUE(listener->messages([&](View message) { text = message[2].text(); }));
    }
    EXPECT_EQ(text, std::string(64, '9') + "… and 10485696 more bytes");
}

TEST(RedisConnection, ARefusalIsAReplyOrAnError)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    const auto connection = server.connect(0);
    Pipeline pipeline;
    pipeline.add({"NONSENSE"}).add({"PING"});
    std::vector<bool> errors;
    ASSERT_TRUE(connection->run(pipeline, [&](std::size_t, View reply) { errors.push_back(reply.error()); }));
    EXPECT_EQ(errors, (std::vector{true, false}));
    const auto strict = connection->run(pipeline);
    ASSERT_FALSE(strict);
    EXPECT_EQ(strict.error().kind, ErrorKind::denied);
    EXPECT_NE(strict.error().what.find("NONSENSE"), std::string::npos) << strict.error().what;
}

TEST(RedisConnection, AnAbsentServerIsReportedWithItsAddress)
{
    const auto connection = Connection::open({"/nonexistent/redis.sock", {}, 0}, 0, 1s);
    ASSERT_FALSE(connection);
    EXPECT_EQ(connection.error().kind, ErrorKind::unreachable);
    EXPECT_NE(connection.error().what.find("unix:///nonexistent/redis.sock"), std::string::npos);
}

TEST(RedisConnection, ADatabaseThatIsNotThereIsRefused)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    EXPECT_FALSE(Connection::open(server.address(), 4711, 60s));
}

TEST(RedisConnection, AServerThatDiesBreaksIt)
{
    PETREL_NEEDS_REDIS();
    test::RedisServer server;
    const auto connection = server.connect(0);
    server.kill();
    Pipeline ping;
    ping.add({"PING"});
    const auto answer = connection->run(ping);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::unreachable);
}

TEST(RedisConnection, AServerThatHangsIsNotWaitedForLongerThanAgreed)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    const auto connection = Connection::open(server.address(), 0, 50ms);
    ASSERT_TRUE(connection);
    server.freeze();
    Pipeline ping;
    ping.add({"PING"});
    const auto answer = (*connection)->run(ping);
    server.thaw();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::timed_out);
    EXPECT_TRUE(answer.error().what.ends_with("no answer in time (50 ms)")) << answer.error().what;
}

TEST(RedisConnection, ReceivesItsSubscriptions)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    const auto listener = server.connect(4);
    Pipeline subscribe;
    subscribe.add({"PSUBSCRIBE", "__keyspace@4__:PFC_WD|*"});
    ASSERT_TRUE(listener->run(subscribe));
    ASSERT_TRUE(listener->messages([](View) { FAIL() << "nothing was published yet"; }));
    Pipeline change;
    change.add({"HSET", "PFC_WD|Ethernet0", "detection_time", "200"}).add({"HSET", "PORT|Ethernet0", "speed", "1"});
    ASSERT_TRUE(server.connect(4)->run(change));
    pollfd ready{listener->fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&ready, 1, -1), 1);
    std::vector<std::string> received;
    ASSERT_TRUE(listener->messages([&](View message) { received.emplace_back(message[2].text()); }));
    EXPECT_EQ(received, (std::vector<std::string>{"__keyspace@4__:PFC_WD|Ethernet0"}));
}

}  // namespace
}  // namespace petrel::redis
