// Waits until a hash in Redis has the wanted content: by the server's notifications, not by polling.
#pragma once

#include <poll.h>

#include <functional>
#include <map>
#include <string>

#include "support/redis_server.hpp"

namespace petrel::test {

using Fields = std::map<std::string, std::string>;

inline Fields read_hash(const RedisServer& server, int database, const std::string& key)
{
    redis::Pipeline get;
    get.add({"HGETALL", key});
    Fields fields;
    const auto done = server.connect(database)->run(get, [&](std::size_t, redis::View reply) {
        for (std::size_t i = 0; i + 1 < reply.size(); i += 2) {
            fields.emplace(reply[i].text(), reply[i + 1].text());
        }
    });
    return done ? fields : Fields{};
}

inline void write_hash(const RedisServer& server, int database, const std::string& key, const Fields& fields)
{
    redis::Pipeline set;
    for (const auto& [field, value] : fields) {
        set.add({"HSET", key, field, value});
    }
    ASSERT_TRUE(server.connect(database)->run(set));
}

inline void run_command(const RedisServer& server, int database, std::initializer_list<std::string_view> words)
{
    redis::Pipeline pipeline;
    pipeline.add(words);
    ASSERT_TRUE(server.connect(database)->run(pipeline));
}

// Returns the content at that time.
inline Fields wait_for_hash(const RedisServer& server, int database, const std::string& key,
                            const std::function<bool(const Fields&)>& wanted)
{
    const auto listener = server.connect(database);
    redis::Pipeline subscribe;
    subscribe.add({"PSUBSCRIBE", "__keyspace@" + std::to_string(database) + "__:" + key});
    EXPECT_TRUE(listener->run(subscribe));
    for (;;) {
        auto now = read_hash(server, database, key);
        if (wanted(now)) {
            return now;
        }
        pollfd ready{listener->fd(), POLLIN, 0};
        ::poll(&ready, 1, -1);
        if (!listener->messages([](redis::View) {})) {
            ADD_FAILURE() << "Redis has gone while " << key << " was waited for";
            return now;
        }
    }
}

}  // namespace petrel::test
