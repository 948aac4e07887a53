#include "device/sonic/changes.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <utility>

#include "sonic/notifications.hpp"

namespace petrel::device::sonic {

namespace {

using db::Db;

constexpr Duration kReadAnyway = std::chrono::seconds{1};
constexpr Duration kReportEvery = std::chrono::seconds{1};
constexpr std::string_view kRegisteredKeys = "FLEX_COUNTER_TABLE:PFC_WD:*";

struct Subject {
    Db database;
    std::string_view keys;
    bool Changes::Changed::* what;
};

constexpr std::array<Subject, 7> kSubjects{
    {{Db::counters, "COUNTERS_QUEUE_NAME_MAP", &Changes::Changed::layout},
     {Db::counters, "COUNTERS_PORT_NAME_MAP", &Changes::Changed::layout},
     {Db::config, "PORT_QOS_MAP|*", &Changes::Changed::layout},
     {Db::config, "PORT|*", &Changes::Changed::layout},
     {Db::config, "PFC_WD|*", &Changes::Changed::layout},
     {Db::appl, "PORT_TABLE:*", &Changes::Changed::links},
     {Db::flex_counter, "FLEX_COUNTER_GROUP_TABLE:PFC_WD", &Changes::Changed::plugins}}};
// Single keys; CONFIG_DB and FLEX_COUNTER_DB are followed as a whole.
constexpr std::array<std::string_view, 2> kCounterKeys{"COUNTERS_QUEUE_NAME_MAP", "COUNTERS_PORT_NAME_MAP"};
constexpr std::string_view kLinks = "PORT_TABLE:";
constexpr std::array kDatabases{Db::counters, Db::config, Db::appl, Db::flex_counter};

}  // namespace

redis::Pipeline Changes::subscriptions_to(Db database) const
{
    const auto number = databases_.at(database).number;
    redis::Pipeline subscriptions;
    if (database == Db::counters) {
        for (const auto key : kCounterKeys) {
            db::subscribe_to_key(subscriptions, number, key);
        }
    } else if (database == Db::appl) {
        for (const auto& port : ports_) {
            db::subscribe_to_key(subscriptions, number, fmt::format("{}{}", kLinks, port));
        }
    } else {
        db::subscribe_to_all_keys(subscriptions, number);
    }
    return subscriptions;
}

Result<void> Changes::subscribe()
{
    notified_ = true;
    for (const auto database : kDatabases) {
        listeners_.forget(database);
        const auto sends = listeners_.connection(database).and_then(
            [](redis::Connection* open) { return db::sends_notifications(*open); });
        if (!sends) {
            listeners_.forget(database);
            return tl::unexpected(sends.error());
        }
        notified_ = notified_ && *sends;
        if (auto done = run(listeners_, database, subscriptions_to(database), [](std::size_t, redis::View) {}); !done) {
            return done;
        }
    }
    subscribed_ = true;
    drained_ = false;
    return {};
}

// Whether a message has arrived since the last time: one system call instead of one for each connection.
bool Changes::any_messages()
{
    std::vector<pollfd> readable;
    for (const auto fd : fds()) {
        readable.push_back({fd, POLLIN, 0});
    }
    return !std::exchange(drained_, true) || ::poll(readable.data(), readable.size(), 0) != 0;
}

std::vector<int> Changes::fds()
{
    std::vector<int> all;
    for (const auto database : kDatabases) {
        if (auto open = listeners_.connection(database); subscribed_ && open) {
            all.push_back((*open)->fd());
        }
    }
    return all;
}

Result<void> Changes::drain(Changed& changed)
{
    for (const auto database : kDatabases) {
        const auto note = [&](redis::View message) {
            const auto key = db::changed_key(message);
            registered_ = registered_ || (database == Db::flex_counter && db::covers(kRegisteredKeys, key));
            for (const auto& subject : kSubjects) {
                if (subject.database == database && db::covers(subject.keys, key)) {
                    changed.*subject.what = true;
                }
            }
        };
        auto drained =
            listeners_.connection(database).and_then([&](redis::Connection* open) { return open->messages(note); });
        if (!drained) {
            subscribed_ = false;
            return drained;
        }
    }
    return {};
}

Result<Changes::Changed> Changes::listen(Instant now)
{
    if (!subscribed_) {
        read_again_ = now + kReadAnyway;
        return subscribe().map([] { return Changed{true, true, true}; });
    }
    Changed changed;
    if (any_messages()) {
        if (auto drained = drain(changed); !drained) {
            return tl::unexpected(std::move(drained.error()));
        }
    }
    if (!notified_ && now >= read_again_) {
        read_again_ = now + kReadAnyway;
        return Changed{true, true, true};
    }
    if (registered_ && now >= report_again_) {
        registered_ = false;
        report_again_ = now + kReportEvery;
        changed.layout = true;
    }
    return changed;
}

}  // namespace petrel::device::sonic
