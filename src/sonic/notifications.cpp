#include "sonic/notifications.hpp"

#include <fmt/format.h>

#include <array>

namespace petrel::sonic {

namespace {

bool sends_enough(std::string_view events)
{
    const auto has = [&](char c) { return events.find(c) != std::string_view::npos; };
    return has('K') && has('E') && (has('A') || (has('h') && has('g') && has('$')));
}

constexpr std::string_view kKeyChannel = "__keyspace@";
constexpr std::string_view kEventChannel = "__keyevent@";

// Events after which a hash or a string has other contents.
constexpr std::array<std::string_view, 13> kEvents{"hset",      "hdel",    "hincrby", "hincrbyfloat", "del",
                                                   "set",       "expired", "evicted", "rename_from",  "rename_to",
                                                   "move_from", "move_to", "restore"};

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

void subscribe_to_key(redis::Pipeline& pipeline, int database, std::string_view key)
{
    pipeline.add({"SUBSCRIBE", fmt::format("{}{}__:{}", kKeyChannel, database, key)});
}

void subscribe_to_all_keys(redis::Pipeline& pipeline, int database)
{
    for (const auto event : kEvents) {
        pipeline.add({"SUBSCRIBE", fmt::format("{}{}__:{}", kEventChannel, database, event)});
    }
}

// ["message", channel of the key, event] or ["message", channel of the event, key].
std::string_view changed_key(redis::View message)
{
    if (message.size() != 3 || message[0].text() != "message") {
        return {};
    }
    const auto channel = message[1].text();
    if (channel.starts_with(kEventChannel)) {
        return message[2].text();
    }
    const auto colon = channel.find(':');
    return colon == std::string_view::npos ? std::string_view{} : channel.substr(colon + 1);
}

bool reports_removal(redis::View message)
{
    return message.size() == 3 && message[1].text().starts_with(kEventChannel) && message[1].text().ends_with(":del");
}

bool covers(std::string_view keys, std::string_view key)
{
    return keys.ends_with('*') ? key.starts_with(keys.substr(0, keys.size() - 1)) : key == keys;
}

}  // namespace petrel::sonic
