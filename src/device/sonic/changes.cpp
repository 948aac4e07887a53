#include "device/sonic/changes.hpp"

#include <fmt/format.h>

#include <array>

namespace petrel::device::sonic {

namespace {

using db::Db;

constexpr Duration kReadAnyway = std::chrono::seconds{1};

struct Subject {
    Db database;
    std::string_view keys;
    bool Changes::Heard::* what;
};

constexpr std::array<Subject, 7> kSubjects{
    {{Db::counters, "COUNTERS_QUEUE_NAME_MAP", &Changes::Heard::layout},
     {Db::counters, "COUNTERS_PORT_NAME_MAP", &Changes::Heard::layout},
     {Db::config, "PORT_QOS_MAP|*", &Changes::Heard::layout},
     {Db::config, "PORT|*", &Changes::Heard::layout},
     {Db::config, "PFC_WD|*", &Changes::Heard::layout},
     {Db::appl, "PORT_TABLE:*", &Changes::Heard::links},
     {Db::flex_counter, "FLEX_COUNTER_GROUP_TABLE:PFC_WD", &Changes::Heard::plugins}}};
constexpr std::array kDatabases{Db::counters, Db::config, Db::appl, Db::flex_counter};

// A setting of the server: keyspace channels, for hashes and for keys that go away.
bool sends_enough(std::string_view events)
{
    const auto has = [&](char c) { return events.find(c) != std::string_view::npos; };
    return has('K') && (has('A') || (has('h') && has('g')));
}

}  // namespace

Result<void> Changes::subscribe()
{
    told_ = true;
    for (const auto database : kDatabases) {
        listeners_.forget(database);
        redis::Pipeline settings;
        settings.add({"CONFIG", "GET", "notify-keyspace-events"});
        auto asked = ask(listeners_, database, settings, [&](std::size_t, redis::View reply) {
            told_ = told_ && reply.size() == 2 && sends_enough(reply[1].text());
        });
        if (!asked) {
            return asked;
        }
        redis::Pipeline subscriptions;
        for (const auto& subject : kSubjects) {
            if (subject.database == database) {
                subscriptions.add(
                    {"PSUBSCRIBE", fmt::format("__keyspace@{}__:{}", databases_.at(database).number, subject.keys)});
            }
        }
        if (auto done = ask(listeners_, database, subscriptions, [](std::size_t, redis::View) {}); !done) {
            return done;
        }
    }
    subscribed_ = true;
    return {};
}

Result<Changes::Heard> Changes::listen(Instant now)
{
    if (!subscribed_) {
        read_again_ = now + kReadAnyway;
        return subscribe().map([] { return Heard{true, true, true}; });
    }
    Heard heard;
    for (const auto database : kDatabases) {
        const auto note = [&](redis::View message) {
            const auto pattern = message.size() == 4 ? message[1].text() : std::string_view{};
            for (const auto& subject : kSubjects) {
                if (subject.database == database && pattern.ends_with(subject.keys)) {
                    heard.*subject.what = true;
                }
            }
        };
        const auto drained =
            listeners_.connection(database).and_then([&](redis::Connection* open) { return open->messages(note); });
        if (!drained) {
            subscribed_ = false;
            return tl::unexpected(drained.error());
        }
    }
    if (!told_ && now >= read_again_) {
        read_again_ = now + kReadAnyway;
        return Heard{true, true, true};
    }
    return heard;
}

}  // namespace petrel::device::sonic
