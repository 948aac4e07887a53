#include "redis/address.hpp"

#include <gtest/gtest.h>

namespace petrel::redis {
namespace {

TEST(RedisAddress, IsASocketOrHostAndPort)
{
    EXPECT_EQ(parse_address("unix:///run/redis.sock").value(), (Address{"/run/redis.sock", {}, 0}));
    EXPECT_EQ(parse_address("tcp://127.0.0.1:6379").value(), (Address{{}, "127.0.0.1", 6379}));
    EXPECT_EQ(parse_address("tcp://[::1]:6379").value(), (Address{{}, "::1", 6379}));
}

TEST(RedisAddress, IsWrittenAsItIsRead)
{
    for (const std::string text : {"unix:///run/redis.sock", "tcp://host:1", "tcp://[::1]:65535"}) {
        EXPECT_EQ(to_text(parse_address(text).value()), text);
    }
}

TEST(RedisAddress, AnInvalidAddressIsNamedInTheError)
{
    for (const std::string text : {"", "/run/redis.sock", "unix://relative", "tcp://host", "tcp://:1", "tcp://host:0",
                                   "tcp://host:65536", "tcp://host:1x", "redis://host:1"}) {
        const auto address = parse_address(text);
        ASSERT_FALSE(address) << text;
        EXPECT_NE(address.error().what.find("'" + text + "'"), std::string::npos) << address.error().what;
    }
    EXPECT_FALSE(parse_address("unix:///" + std::string(200, 'x')));
}

}  // namespace
}  // namespace petrel::redis
