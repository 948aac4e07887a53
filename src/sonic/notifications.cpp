#include "sonic/notifications.hpp"

#include <fmt/format.h>

namespace petrel::sonic {

namespace {

bool sends_enough(std::string_view events)
{
    const auto has = [&](char c) { return events.find(c) != std::string_view::npos; };
    return has('K') && (has('A') || (has('h') && has('g')));
}

}  // namespace

Result<bool> sends_notifications(redis::Connection& connection)
{
    redis::Pipeline settings;
    settings.add({"CONFIG", "GET", "notify-keyspace-events"});
    bool sends = false;
    return connection
        .run(settings,
             [&](std::size_t, redis::View reply) { sends = reply.size() == 2 && sends_enough(reply[1].text()); })
        .map([&] { return sends; });
}

void add_subscription(redis::Pipeline& pipeline, int database, std::string_view keys)
{
    const auto channel = fmt::format("__keyspace@{}__:{}", database, keys);
    pipeline.add({keys.find('*') == std::string_view::npos ? "SUBSCRIBE" : "PSUBSCRIBE", channel});
}

// ["message", channel, event] or ["pmessage", pattern, channel, event].
std::string_view changed_key(redis::View message)
{
    const auto size = message.size();
    const bool notified = size >= 3 && (message[0].text() == "message" || message[0].text() == "pmessage");
    const auto channel = notified ? message[size - 2].text() : std::string_view{};
    const auto colon = channel.find(':');
    return colon == std::string_view::npos ? std::string_view{} : channel.substr(colon + 1);
}

bool covers(std::string_view keys, std::string_view key)
{
    return keys.ends_with('*') ? key.starts_with(keys.substr(0, keys.size() - 1)) : key == keys;
}

}  // namespace petrel::sonic
