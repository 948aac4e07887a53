#include "device/sonic/plugins.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/complaint_text.hpp"
#include "base/ids.hpp"
#include "codec/sonic/json_list.hpp"

namespace petrel::device::sonic {

namespace {

using db::Change;
using db::Db;

constexpr std::string_view kGroup = "PFC_WD";
constexpr auto kGroupKey = "FLEX_COUNTER_GROUP_TABLE:PFC_WD";
constexpr std::string_view kRequests = "FLEX_COUNTER_GROUP_TABLE_KEY_VALUE_OP_QUEUE";
constexpr std::string_view kRequestChannel = "FLEX_COUNTER_GROUP_TABLE_CHANNEL";
constexpr auto kPlugins = "QUEUE_PLUGIN_LIST";
constexpr auto kKept = "PETREL_PFC_WD|plugins";
constexpr Duration kStayEvery = std::chrono::seconds{1};

Result<db::Hash> read_hash(db::RedisStore& store, Db database, const std::string& key)
{
    return store.hashes(database, {&key, 1}).map([](std::vector<db::Hash> hashes) { return std::move(hashes[0]); });
}

Result<void> write_hash(db::RedisStore& store, Db database, const std::string& key, db::Hash fields)
{
    const Change change{Change::Kind::replace, key, std::move(fields)};
    return store.apply(database, {&change, 1});
}

// A request from one of SONiC's services to another: set fields of a hash, or delete the hash.
struct Request {
    std::string fields;
    std::string_view operation;
};

Request set(const db::Hash& fields)
{
    std::vector<std::string> texts;
    for (const auto& [name, value] : fields) {
        texts.push_back(name);
        texts.push_back(value);
    }
    return {codec::json_list(texts), "SSET"};
}

Request remove() { return {"{}", "DDEL"}; }

// Pushes each request, as key, fields and operation, to the list of the table, and publishes a message on its channel.
Result<void> request_from_syncd(db::RedisStore& store, const db::Databases& databases,
                                const std::vector<Request>& requests)
{
    const auto channel = fmt::format("{}@{}", kRequestChannel, databases.at(Db::flex_counter).number);
    redis::Pipeline pipeline;
    pipeline.add({"MULTI"});
    for (const auto& request : requests) {
        pipeline.add({"LPUSH", kRequests, kGroup, request.fields, request.operation}).add({"PUBLISH", channel, "G"});
    }
    pipeline.add({"EXEC"});
    std::optional<Error> refused;
    auto done = run(store, Db::flex_counter, pipeline, [&](std::size_t, redis::View reply) {
        if (reply.error()) {
            refused = Error{ErrorKind::denied, fmt::format("Redis refuses: {}", excerpt(reply.text()))};
        }
    });
    return done && refused ? tl::unexpected(*refused) : done;
}

// The values that the scripts keep: by port and priority, and by queue.
constexpr std::array<std::string_view, 4> kPortMemory{"RX_PKTS", "ON2OFF_RX_PKTS", "RX_PAUSE_DURATION",
                                                      "RX_PAUSE_DURATION_US"};
constexpr std::array<std::string_view, 4> kQueueMemory{"SAI_QUEUE_STAT_PACKETS_last",
                                                       "SAI_QUEUE_ATTR_PAUSE_STATUS_last", "PFC_WD_DETECTION_TIME_LEFT",
                                                       "PFC_WD_RESTORATION_TIME_LEFT"};

// Ports and queues are registered under the same prefix, so the fields of both kinds are deleted from each object.
Result<void> forget_script_memory(db::RedisStore& store)
{
    constexpr std::string_view kRegistered = "FLEX_COUNTER_TABLE:PFC_WD:";
    const auto objects = store.keys(Db::flex_counter, kRegistered);
    if (!objects) {
        return tl::unexpected(objects.error());
    }
    std::vector<std::string> fields{kQueueMemory.begin(), kQueueMemory.end()};
    for (int priority = 0; priority != kPriorities; ++priority) {
        for (const auto& counter : kPortMemory) {
            fields.push_back(fmt::format("SAI_PORT_STAT_PFC_{}_{}_last", priority, counter));
        }
    }
    redis::Pipeline forget;
    for (const auto& object : *objects) {
        const auto key = "COUNTERS:" + object.substr(kRegistered.size());
        std::vector<std::string_view> arguments{"HDEL", key};
        arguments.insert(arguments.end(), fields.begin(), fields.end());
        forget.add(arguments);
    }
    forget.add({"HDEL", "TIMESTAMP", "PFCWD_POLL_TIMESTAMP_last", "pfcwd_poll_timestamp_last",
                "effective_pfcwd_poll_time_last"});
    forget.add({"HDEL", "COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp_last"});
    return run(store, Db::counters, forget, [](std::size_t, redis::View) {});
}

Result<bool> syncd_is_behind(db::RedisStore& store)
{
    redis::Pipeline length;
    length.add({"LLEN", kRequests});
    bool behind = false;
    return run(store, Db::flex_counter, length, [&](std::size_t, redis::View reply) { behind = reply.number() != 0; })
        .map([&] { return behind; });
}

}  // namespace

Result<CounterGroup> read_group(db::RedisStore& store)
{
    return read_hash(store, Db::flex_counter, kGroupKey).map([](const db::Hash& group) {
        std::int64_t ms = 0;
        if (const auto at = group.find("POLL_INTERVAL"); at != group.end()) {
            std::from_chars(at->second.data(), at->second.data() + at->second.size(), ms);
        }
        const auto status = group.find("FLEX_COUNTER_STATUS");
        return CounterGroup{std::chrono::milliseconds{ms}, status != group.end() && status->second == "disable"};
    });
}

Result<void> Plugins::claim()
{
    return mark_.hold(store_)
        .and_then([&] { return read_hash(store_, Db::state, kKept); })
        .map([&](const db::Hash& kept) {
            const auto plugins = kept.find(kPlugins);
            kept_ = plugins != kept.end() ? plugins->second : "";
        });
}

Result<bool> Plugins::put_back_left() { return kept_.empty() ? Result<bool>{false} : put_back_kept(); }

// STATE_DB may have been flushed, and another process may have claimed the switch since the last look.
Result<void> Plugins::stay(Instant now)
{
    if (ours() && now < stay_again_) {
        return {};
    }
    stay_again_ = now + kStayEvery;
    return mark_.hold(store_)
        .and_then([&] { return read_hash(store_, Db::state, kKept); })
        .and_then(
            [&](const db::Hash& kept) { return kept.empty() && !kept_.empty() ? write_kept(kept_) : Result<void>{}; });
}

Result<bool> Plugins::keep_out(bool changed, Instant now)
{
    to_take_out_ = to_take_out_ || changed;
    if (auto staying = stay(now); !staying) {
        return tl::unexpected(std::move(staying.error()));
    }
    if (!to_take_out_) {
        return false;
    }
    return take_out().map([&](Out out) {
        to_take_out_ = out == Out::behind;
        return out != Out::behind && !kept_.empty();
    });
}

// A set request can only add plug-ins. So the group is deleted with all its plug-ins and set again without them; the
// counters stay, because they belong to the queues. If syncd has not processed earlier requests, one of them may be
// this one: the next call sends it.
Result<Plugins::Out> Plugins::take_out()
{
    auto group = read_hash(store_, Db::flex_counter, kGroupKey);
    if (!group) {
        return tl::unexpected(std::move(group.error()));
    }
    const auto plugins = group->extract(kPlugins);
    if (plugins.empty() || plugins.mapped().empty()) {
        return Out::already;
    }
    const auto behind = syncd_is_behind(store_);
    if (!behind || *behind) {
        return behind.map([](bool) { return Out::behind; });
    }
    return write_kept(plugins.mapped())
        .and_then([&] { return request_from_syncd(store_, databases_, {remove(), set(*group)}); })
        .map([] { return Out::requested; });
}

Result<void> Plugins::write_kept(const std::string& plugins)
{
    kept_ = plugins;
    return write_hash(store_, Db::state, kKept, {{kPlugins, plugins}});
}

Result<bool> Plugins::put_back()
{
    auto back = mark_.hold(store_).and_then([&] { return put_back_kept(); });
    refused_ = !back && !ours() && back.error().kind == ErrorKind::denied;
    if (refused_) {
        return false;
    }
    [[maybe_unused]] const auto given_up = mark_.give_up(store_);  // if this fails, the mark expires
    return back.map_error([](const Error& error) {
        return Error{error.kind,
                     fmt::format("SONiC's own detector is not put back: {}; `petrel hand-back` does it", error.what)};
    });
}

Result<bool> Plugins::put_back_kept()
{
    auto kept = read_hash(store_, Db::state, kKept);
    if (!kept) {
        return tl::unexpected(std::move(kept.error()));
    }
    if (kept->empty() && !kept_.empty()) {
        kept->emplace(kPlugins, kept_);
    }
    if (kept->empty()) {
        return false;
    }
    // If this fails, the scripts return nevertheless: a false storm is better than no detector.
    [[maybe_unused]] const auto forgotten = forget_script_memory(store_);
    return request_from_syncd(store_, databases_, {set(*kept)})
        .and_then([&] { return write_hash(store_, Db::state, kKept, {}); })
        .map([&] {
            kept_.clear();
            return true;
        });
}

}  // namespace petrel::device::sonic
