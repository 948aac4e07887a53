#include "sonic/redis_store.hpp"

#include <gtest/gtest.h>

#include "support/redis_server.hpp"

namespace petrel::sonic {
namespace {

using namespace std::chrono_literals;
using Kind = Change::Kind;

TEST(RedisStore, SetsRemovesAndReplacesHashes)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    RedisStore store{at_one_address(server.address()), 60s};
    const std::vector<std::string> keys{"PFC_WD|Ethernet0", "PFC_WD|Ethernet4", "PFC_WD|none"};
    const auto now = [&] { return store.hashes(Db::config, keys).value(); };

    const std::vector<Change> first{{Kind::set, keys[0], {{"a", "1"}, {"b", "2"}}}, {Kind::set, keys[1], {{"c", ""}}}};
    ASSERT_TRUE(store.apply(Db::config, first));
    EXPECT_EQ(now(), (std::vector<Hash>{{{"a", "1"}, {"b", "2"}}, {{"c", ""}}, {}}));

    const std::vector<Change> second{{Kind::remove, keys[0], {{"a", ""}}}, {Kind::replace, keys[1], {{"d", "4"}}}};
    ASSERT_TRUE(store.apply(Db::config, second));
    EXPECT_EQ(now(), (std::vector<Hash>{{{"b", "2"}}, {{"d", "4"}}, {}}));

    const std::vector<Change> third{{Kind::replace, keys[1], {}}};
    ASSERT_TRUE(store.apply(Db::config, third));
    EXPECT_EQ(store.keys(Db::config, "PFC_WD|").value(), (std::vector<std::string>{keys[0]}));
    EXPECT_TRUE(store.keys(Db::counters, "").value().empty()) << "databases do not mix";
}

TEST(RedisStore, APrefixIsTakenAsItIsWritten)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    RedisStore store{at_one_address(server.address()), 60s};
    const std::vector<Change> changes{
        {Kind::set, "A*1", {{"x", "1"}}}, {Kind::set, "AB1", {{"x", "1"}}}, {Kind::set, "A[B]", {{"x", "1"}}}};
    ASSERT_TRUE(store.apply(Db::appl, changes));
    EXPECT_EQ(store.keys(Db::appl, "A*").value(), (std::vector<std::string>{"A*1"}));
    EXPECT_EQ(store.keys(Db::appl, "A[").value(), (std::vector<std::string>{"A[B]"}));
    EXPECT_EQ(store.keys(Db::appl, "A").value().size(), 3U);
}

TEST(RedisStore, FindsEveryKeyOfALargeDatabaseOnce)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    RedisStore store{at_one_address(server.address()), 60s};
    std::vector<Change> changes;
    for (int i = 0; i != 5000; ++i) {
        changes.push_back({Kind::set, "COUNTERS:" + std::to_string(i), {{"x", "1"}}});
    }
    ASSERT_TRUE(store.apply(Db::counters, changes));
    EXPECT_EQ(store.keys(Db::counters, "COUNTERS:").value().size(), 5000U);
}

TEST(RedisStore, AReadThatIsTooLargeIsAnError)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    RedisStore store{at_one_address(server.address()), 60s};
    redis::Pipeline fill;
    fill.add({"EVAL", "for i = 1, 1100 do redis.call('HSET', 'PFC_WD|' .. i, 'a', string.rep('x', 65000)) end", "0"});
    ASSERT_TRUE(store.connection(Db::config).value()->run(fill));
    const auto keys = store.keys(Db::config, "PFC_WD|").value();
    const auto read = store.hashes(Db::config, keys);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::exhausted);
    EXPECT_EQ(read.error().what.find("1100 keys, among them 'PFC_WD|"), 0U) << read.error().what;
    EXPECT_EQ(store.hashes(Db::config, std::span{keys}.first(1000)).value().size(), 1000U)
        << "the connection still works";
}

TEST(RedisStore, AFailedChangeIsReported)
{
    PETREL_NEEDS_REDIS();
    const test::RedisServer server;
    RedisStore store{at_one_address(server.address()), 60s};
    redis::Pipeline other;
    other.add({"SET", "text", "not a hash"});
    ASSERT_TRUE(server.connect(0)->run(other));
    const std::vector<Change> changes{{Kind::set, "text", {{"a", "1"}}}};
    EXPECT_FALSE(store.apply(Db::appl, changes));
    const std::vector<std::string> keys{"text"};
    const auto read = store.hashes(Db::appl, keys);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().what.find("'text'"), std::string::npos) << read.error().what;
}

TEST(RedisStore, ComesBackWithItsServer)
{
    PETREL_NEEDS_REDIS();
    test::RedisServer server;
    RedisStore store{at_one_address(server.address()), 60s};
    EXPECT_TRUE(store.keys(Db::config, ""));
    server.kill();
    EXPECT_FALSE(store.keys(Db::config, ""));
    EXPECT_FALSE(store.keys(Db::config, ""));
    server.start();
    EXPECT_TRUE(store.keys(Db::config, ""));
}

}  // namespace
}  // namespace petrel::sonic
