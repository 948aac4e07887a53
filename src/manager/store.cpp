#include "manager/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace petrel::manager {
namespace {

using Kind = fabric::Message::Kind;

constexpr int kVersion = 1;

constexpr auto kTables = R"(
    CREATE TABLE message(
        device TEXT NOT NULL, channel TEXT NOT NULL, epoch INTEGER NOT NULL, number INTEGER NOT NULL,
        kind TEXT NOT NULL, port TEXT NOT NULL, priority INTEGER, cause INTEGER NOT NULL,
        neighbour_reason INTEGER NOT NULL, at_us INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY(device, channel, epoch, number)) WITHOUT ROWID;
    CREATE TABLE heard(device TEXT PRIMARY KEY, at_us INTEGER NOT NULL) WITHOUT ROWID;
)";

constexpr std::array<std::pair<Kind, std::string_view>, 5> kKinds{{{Kind::error_opened, "error_opened"},
                                                                   {Kind::error_closed, "error_closed"},
                                                                   {Kind::link_down, "link_down"},
                                                                   {Kind::link_up, "link_up"},
                                                                   {Kind::other, "other"}}};

std::string kind_name(Kind kind)
{
    return std::string{
        std::find_if(kKinds.begin(), kKinds.end(), [&](auto& one) { return one.first == kind; })->second};
}

Kind kind_named(std::string_view name)
{
    const auto* known = std::find_if(kKinds.begin(), kKinds.end(), [&](auto& one) { return one.second == name; });
    return known == kKinds.end() ? Kind::other : known->first;
}

std::int64_t us_of(WallTime at) { return at.time_since_epoch().count(); }
WallTime time_of(std::int64_t us) { return WallTime{std::chrono::microseconds{us}}; }

Error store_error(const std::string& path, const SQLite::Exception& why)
{
    const auto code = why.getErrorCode();
    const auto kind = code == SQLITE_CORRUPT || code == SQLITE_NOTADB  ? ErrorKind::corrupt
                      : code == SQLITE_PERM || code == SQLITE_READONLY ? ErrorKind::denied
                      : code == SQLITE_FULL                            ? ErrorKind::exhausted
                                                                       : ErrorKind::unreachable;
    const auto* hint = code == SQLITE_BUSY ? " (does another manager use it?)" : "";
    return {kind, fmt::format("the manager's store {}: {}{}", path, why.what(), hint)};
}

fabric::Message message_in(SQLite::Statement& row)
{
    fabric::Message message;
    message.source.device = row.getColumn(0).getString();
    message.source.channel = row.getColumn(1).getString() == fabric::name(fabric::Channel::log)
                                 ? fabric::Channel::log
                                 : fabric::Channel::agent;
    message.position.epoch = static_cast<std::uint64_t>(row.getColumn(2).getInt64());
    message.position.number = static_cast<std::uint64_t>(row.getColumn(3).getInt64());
    message.kind = kind_named(row.getColumn(4).getString());
    message.port = row.getColumn(5).getString();
    if (!row.getColumn(6).isNull()) {
        message.priority = Priority{static_cast<std::uint8_t>(row.getColumn(6).getInt())};
    }
    message.cause = static_cast<link::Canonical>(row.getColumn(7).getInt());
    message.neighbour_reason = static_cast<std::uint8_t>(row.getColumn(8).getInt());
    message.at = time_of(row.getColumn(9).getInt64());
    message.text = row.getColumn(10).getString();
    return message;
}

void bind(SQLite::Statement& insert, const fabric::Message& message)
{
    insert.bind(1, message.source.device);
    insert.bind(2, std::string{fabric::name(message.source.channel)});
    insert.bind(3, static_cast<std::int64_t>(message.position.epoch));
    insert.bind(4, static_cast<std::int64_t>(message.position.number));
    insert.bind(5, kind_name(message.kind));
    insert.bind(6, message.port);
    if (message.priority) {
        insert.bind(7, static_cast<int>(message.priority->value));
    } else {
        insert.bind(7);
    }
    insert.bind(8, static_cast<int>(message.cause));
    insert.bind(9, static_cast<int>(message.neighbour_reason));
    insert.bind(10, us_of(message.at));
    insert.bind(11, message.text);
}

// Nothing is shared with other processes: the file is locked as long as it is open.
void prepare(SQLite::Database& database)
{
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    SQLite::Transaction transaction{database};
    if (database.execAndGet("PRAGMA user_version").getInt() == 0) {
        database.exec(kTables);
        database.exec(fmt::format("PRAGMA user_version = {}", kVersion));
    }
    transaction.commit();
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& path)
{
    try {
        auto database = std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        prepare(*database);
        if (const auto version = database->execAndGet("PRAGMA user_version").getInt(); version != kVersion) {
            return tl::unexpected(
                Error{ErrorKind::unsupported, fmt::format("the manager's store {} has version {}, allowed: {}",
                                                          path.string(), version, kVersion)});
        }
        return std::unique_ptr<Store>{new Store{std::move(database), path.string()}};
    } catch (const SQLite::Exception& why) {
        return tl::unexpected(store_error(path.string(), why));
    }
}

Store::Store(std::unique_ptr<SQLite::Database> database, std::string path)
    : database_(std::move(database)), path_(std::move(path))
{}

Store::~Store() = default;

Result<std::size_t> Store::append(std::span<const fabric::Message> messages, const HeardTimes& heard)
{
    try {
        std::size_t added = 0;
        SQLite::Transaction transaction{*database_};
        SQLite::Statement insert{*database_, "INSERT OR IGNORE INTO message VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
        for (const auto& message : messages) {
            bind(insert, message);
            added += static_cast<std::size_t>(insert.exec());
            insert.reset();
        }
        SQLite::Statement update{*database_, "INSERT OR REPLACE INTO heard VALUES(?, ?)"};
        for (const auto& [device, at] : heard) {
            update.bind(1, device);
            update.bind(2, us_of(at));
            update.exec();
            update.reset();
        }
        transaction.commit();
        return added;
    } catch (const SQLite::Exception& why) {
        return tl::unexpected(store_error(path_, why));
    }
}

Result<std::vector<fabric::Message>> Store::messages() const
{
    try {
        std::vector<fabric::Message> all;
        SQLite::Statement row{*database_,
                              "SELECT device, channel, epoch, number, kind, port, priority, cause, neighbour_reason, "
                              "at_us, text FROM message ORDER BY device, channel, epoch, number"};
        while (row.executeStep()) {
            all.push_back(message_in(row));
        }
        return all;
    } catch (const SQLite::Exception& why) {
        return tl::unexpected(store_error(path_, why));
    }
}

Result<HeardTimes> Store::heard() const
{
    try {
        HeardTimes times;
        SQLite::Statement row{*database_, "SELECT device, at_us FROM heard"};
        while (row.executeStep()) {
            times[row.getColumn(0).getString()] = time_of(row.getColumn(1).getInt64());
        }
        return times;
    } catch (const SQLite::Exception& why) {
        return tl::unexpected(store_error(path_, why));
    }
}

}  // namespace petrel::manager
