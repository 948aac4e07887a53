#include "sonic/redis_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/complaint_text.hpp"

namespace petrel::sonic {

namespace {

constexpr std::array kAll{Db::appl, Db::asic, Db::counters, Db::loglevel, Db::config, Db::flex_counter, Db::state};

// Limit for the hashes or the keys of one read. The counters of a switch with 512 ports have 20 MB.
constexpr std::size_t kMostBytes = 64UL * 1024 * 1024;

// A SCAN returns about kScanCount keys of all tables of a database. A full routing table has a million.
constexpr std::string_view kScanCount = "1000";
constexpr std::size_t kMostScans = 10'000;

Error refused(std::string_view reply) { return {ErrorKind::denied, fmt::format("Redis refuses: {}", excerpt(reply))}; }

// Escapes the special characters of Redis patterns.
std::string pattern_of(std::string_view prefix)
{
    std::string pattern;
    for (const auto c : prefix) {
        if (std::string_view{"*?[]\\^"}.find(c) != std::string_view::npos) {
            pattern += '\\';
        }
        pattern += c;
    }
    return pattern + '*';
}

void add(redis::Pipeline& pipeline, const Change& change)
{
    const bool removes = change.kind == Change::Kind::remove;
    if (change.kind == Change::Kind::replace) {
        pipeline.add({"DEL", change.key});
    }
    if (change.fields.empty()) {
        return;
    }
    std::vector<std::string_view> arguments{removes ? "HDEL" : "HSET", change.key};
    for (const auto& [field, value] : change.fields) {
        arguments.push_back(field);
        if (!removes) {
            arguments.push_back(value);
        }
    }
    pipeline.add(arguments);
}

}  // namespace

Databases at_one_address(const redis::Address& address)
{
    Databases databases;
    for (const auto db : kAll) {
        databases[db] = {address, static_cast<int>(db)};
    }
    return databases;
}

Result<redis::Connection*> RedisStore::connection(Db db)
{
    auto& open = open_[db];
    if (!open) {
        const auto place = databases_.find(db);
        if (place == databases_.end()) {
            return tl::unexpected(Error{ErrorKind::invalid,
                                        fmt::format("no address is configured for database {}", static_cast<int>(db))});
        }
        auto opened = redis::Connection::open(place->second.address, place->second.number, patience_);
        if (!opened) {
            return tl::unexpected(std::move(opened.error()));
        }
        open = std::move(*opened);
    }
    return open.get();
}

Result<void> RedisStore::run(Db db, const redis::Pipeline& pipeline, const redis::Connection::Visit& visit)
{
    return connection(db)
        .and_then([&](redis::Connection* open) { return open->run(pipeline, visit); })
        .map_error([&](Error error) {
            forget(db);
            return error;
        });
}

// Uses SCAN, so that a large database is not blocked.
Result<std::vector<std::string>> RedisStore::keys(Db db, std::string_view prefix)
{
    const auto pattern = pattern_of(prefix);
    std::vector<std::string> found;
    std::size_t bytes = 0;
    std::size_t scans = 0;
    std::string cursor = "0";
    do {
        std::optional<Error> problem;
        redis::Pipeline scan;
        scan.add({"SCAN", cursor, "MATCH", pattern, "COUNT", kScanCount});
        const auto done = run(db, scan, [&](std::size_t, redis::View reply) {
            if (reply.size() != 2) {
                problem = refused(reply.text());
                return;
            }
            cursor = reply[0].text();
            for (std::size_t i = 0; i != reply[1].size(); ++i) {
                if (const auto key = reply[1][i].text(); key.starts_with(prefix)) {  // a truncated key may not
                    found.emplace_back(key);
                    bytes += key.size();
                }
            }
            if (bytes > kMostBytes) {
                problem =
                    Error{ErrorKind::exhausted, fmt::format("the keys that begin with '{}' have more than {} bytes",
                                                            excerpt(prefix), kMostBytes)};
            } else if (++scans == kMostScans && cursor != "0") {
                problem =
                    Error{ErrorKind::exhausted, fmt::format("SCAN for keys that begin with '{}' has no end after {} "
                                                            "replies",
                                                            excerpt(prefix), kMostScans)};
            }
        });
        if (!done) {
            return tl::unexpected(done.error());
        }
        if (problem) {
            return tl::unexpected(*problem);
        }
    } while (cursor != "0");
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());  // SCAN may return a key twice
    return found;
}

Result<std::vector<Hash>> RedisStore::hashes(Db db, std::span<const std::string> keys)
{
    redis::Pipeline pipeline;
    for (const auto& key : keys) {
        pipeline.add({"HGETALL", key});
    }
    std::vector<Hash> hashes(keys.size());
    std::size_t bytes = 0;
    std::optional<Error> problem;
    const auto done = run(db, pipeline, [&](std::size_t command, redis::View reply) {
        if (reply.error()) {
            problem = Error{ErrorKind::corrupt,
                            fmt::format("'{}' is not a hash: {}", excerpt(keys[command]), excerpt(reply.text()))};
        }
        for (std::size_t i = 0; i + 1 < reply.size() && bytes <= kMostBytes; i += 2) {
            bytes += reply[i].text().size() + reply[i + 1].text().size();
            hashes[command].emplace(reply[i].text(), reply[i + 1].text());
        }
        if (bytes > kMostBytes && !problem) {
            problem = Error{ErrorKind::exhausted, fmt::format("{} keys, among them '{}', hold more than {} bytes",
                                                              keys.size(), excerpt(keys[command]), kMostBytes)};
        }
    });
    if (!done) {
        return tl::unexpected(done.error());
    }
    return problem ? Result<std::vector<Hash>>{tl::unexpected(*problem)} : hashes;
}

Result<bool> RedisStore::is_set(Db db, const std::string& key)
{
    redis::Pipeline get;
    get.add({"GET", key});
    bool set = false;
    return run(db, get, [&](std::size_t, redis::View reply) { set = reply.text() == "1"; }).map([&] { return set; });
}

Result<void> RedisStore::apply(Db db, std::span<const Change> changes)
{
    redis::Pipeline pipeline;
    pipeline.add({"MULTI"});
    for (const auto& change : changes) {
        add(pipeline, change);
    }
    pipeline.add({"EXEC"});
    std::optional<Error> problem;
    const auto note = [&](redis::View reply) {
        if (reply.error() && !problem) {
            problem = refused(reply.text());
        }
    };
    const auto done = run(db, pipeline, [&](std::size_t, redis::View reply) {
        note(reply);
        for (std::size_t i = 0; i != reply.size(); ++i) {
            note(reply[i]);
        }
    });
    return done && problem ? Result<void>{tl::unexpected(*problem)} : done;
}

}  // namespace petrel::sonic
