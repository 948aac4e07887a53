#include "sonic/redis_store.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "support/redis_server.hpp"
#include "support/temporary_folder.hpp"

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

// A server for one client. It answers every SCAN with the same reply, and every other command with OK.
class SameReply {
public:
    explicit SameReply(std::string to_scan) : to_scan_(std::move(to_scan))
    {
        sockaddr_un place{};
        place.sun_family = AF_UNIX;
        address().path.copy(place.sun_path, sizeof place.sun_path - 1);
        EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
        EXPECT_EQ(::listen(listener_, 1), 0);
        thread_ = std::thread{[this] { serve(); }};
    }
    ~SameReply()  // after its client
    {
        ::shutdown(listener_, SHUT_RDWR);
        thread_.join();
        ::close(listener_);
    }
    SameReply(const SameReply&) = delete;
    SameReply& operator=(const SameReply&) = delete;

    redis::Address address() const { return {(folder_ / "redis.sock").string(), {}, 0}; }

private:
    void serve() const
    {
        const int client = ::accept(listener_, nullptr, nullptr);
        std::array<char, 4096> bytes{};
        for (ssize_t got = 0; (got = ::read(client, bytes.data(), bytes.size())) > 0;) {
            const std::string_view command{bytes.data(), static_cast<std::size_t>(got)};
            const auto reply = command.find("SCAN") != std::string_view::npos ? std::string_view{to_scan_} : "+OK\r\n";
            for (auto left = reply; !left.empty();) {
                const auto sent = ::send(client, left.data(), left.size(), MSG_NOSIGNAL);
                if (sent <= 0) {
                    break;
                }
                left.remove_prefix(static_cast<std::size_t>(sent));
            }
        }
        ::close(client);
    }

    test::TemporaryFolder folder_;
    std::string to_scan_;
    int listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::thread thread_;
};

TEST(RedisStore, AScanWithoutAnEndIsAnError)
{
    const SameReply server{"*2\r\n$1\r\n7\r\n*0\r\n"};
    RedisStore store{at_one_address(server.address()), 60s};
    const auto keys = store.keys(Db::config, "PFC_WD|");
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().kind, ErrorKind::exhausted);
    EXPECT_EQ(keys.error().what, "SCAN for keys that begin with 'PFC_WD|' has no end after 10000 replies");
}

TEST(RedisStore, KeysThatAreTooLargeAreAnError)
{
    const auto key = "PFC_WD|" + std::string(1'000, 'x');
    std::string reply = "*2\r\n$1\r\n7\r\n*1000\r\n";
    for (int i = 0; i != 1'000; ++i) {
        reply += "$" + std::to_string(key.size()) + "\r\n" + key + "\r\n";
    }
    const SameReply server{reply};
    RedisStore store{at_one_address(server.address()), 60s};
    const auto keys = store.keys(Db::config, "PFC_WD|");
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().kind, ErrorKind::exhausted);
    EXPECT_EQ(keys.error().what, "the keys that begin with 'PFC_WD|' have more than 67108864 bytes");
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
