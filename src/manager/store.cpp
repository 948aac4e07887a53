#include "manager/store.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "codec/manager/report_reader.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {
namespace {

constexpr int kVersion = 2;

// event.kind has the numbers of fabric::Message::Kind. The reason of a link is in `event`; neighbour_reason repeats it.
// The cursor of an event is its id.
constexpr auto kTables = R"(
    CREATE TABLE source(id INTEGER PRIMARY KEY, device TEXT NOT NULL, channel TEXT NOT NULL, UNIQUE(device, channel));
    CREATE TABLE numbers(
        source INTEGER NOT NULL, epoch INTEGER NOT NULL, highest INTEGER NOT NULL, forgotten INTEGER NOT NULL,
        latest_us INTEGER NOT NULL, PRIMARY KEY(source, epoch)) WITHOUT ROWID;
    CREATE TABLE event(
        id INTEGER PRIMARY KEY, source INTEGER NOT NULL, epoch INTEGER NOT NULL, number INTEGER NOT NULL,
        kind INTEGER NOT NULL, port TEXT NOT NULL, priority INTEGER, cause INTEGER NOT NULL,
        neighbour_reason INTEGER NOT NULL, at_us INTEGER NOT NULL, taken_us INTEGER NOT NULL, text TEXT NOT NULL,
        event TEXT NOT NULL, UNIQUE(source, epoch, number));
    CREATE TABLE heard(device TEXT PRIMARY KEY, at_us INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE agent(agent TEXT PRIMARY KEY, boot TEXT NOT NULL, version TEXT NOT NULL, since_us INTEGER NOT NULL)
        WITHOUT ROWID;
    CREATE TABLE device(device TEXT PRIMARY KEY, agent TEXT NOT NULL, state TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE sample(
        id INTEGER PRIMARY KEY, device TEXT NOT NULL, port TEXT NOT NULL, queue INTEGER NOT NULL,
        time_us INTEGER NOT NULL, paused_us INTEGER NOT NULL, tx_packets INTEGER NOT NULL, rx_pfc INTEGER NOT NULL,
        taken_us INTEGER NOT NULL, UNIQUE(device, port, queue, time_us));
    CREATE TABLE audit(
        id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, target TEXT NOT NULL,
        result TEXT NOT NULL);
)";

// Nothing is shared with other processes: the file is locked as long as it is open.
void prepare(SQLite::Database& database)
{
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    SQLite::Transaction transaction{database, SQLite::TransactionBehavior::IMMEDIATE};
    if (database.execAndGet("PRAGMA user_version").getInt() == 0) {
        database.exec(kTables);
        database.exec(fmt::format("PRAGMA user_version = {}", kVersion));
    }
    transaction.commit();
}

template <class Row, class Bind>
void insert_all(SQLite::Database& database, const char* sql, const std::vector<Row>& rows, const Bind& bind)
{
    if (rows.empty()) {
        return;
    }
    SQLite::Statement insert{database, sql};
    for (const auto& row : rows) {
        bind(insert, row);
        insert.exec();
        insert.reset();
    }
}

void bind_message(SQLite::Statement& insert, std::int64_t source, const TakenMessage& taken)
{
    const auto& message = taken.message;
    insert.bind(1, source);
    insert.bind(2, to_column(message.position.epoch));
    insert.bind(3, to_column(message.position.number));
    insert.bind(4, static_cast<int>(message.kind));
    insert.bindNoCopy(5, message.port);
    if (message.priority) {
        insert.bind(6, static_cast<int>(message.priority->value));
    } else {
        insert.bind(6);
    }
    insert.bind(7, static_cast<int>(message.cause));
    insert.bind(8, message.link ? static_cast<int>(message.link->nldr.value_or(0)) : 0);
    insert.bind(9, us_of(message.at));
    insert.bind(10, us_of(message.observed_at));
    insert.bindNoCopy(11, message.text);
    insert.bindNoCopy(12, taken.event);
    if (taken.cursor != 0) {
        insert.bind(13, taken.cursor);
    } else {
        insert.bind(13);
    }
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& path)
{
    return open(path.string(), [&] {
        return std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    });
}

Result<std::unique_ptr<Store>> Store::open(const std::string& name,
                                           const std::function<std::unique_ptr<SQLite::Database>()>& database)
{
    auto opened = guarded(name, [&] {
        auto made = database();
        prepare(*made);
        return made;
    });
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    return guarded(name, [&] { return (*opened)->execAndGet("PRAGMA user_version").getInt(); })
        .and_then([&](int version) -> Result<std::unique_ptr<Store>> {
            if (version != kVersion) {
                return tl::unexpected(
                    Error{ErrorKind::unsupported,
                          fmt::format("the manager's store {} has version {}, allowed: {}", name, version, kVersion)});
            }
            std::unique_ptr<Store> store{new Store{std::move(*opened), name}};
            return guarded(name,
                           [&] {
                               store->prepare_commands();
                               prepare_access(*store->database_);
                               prepare_log(*store->database_);
                               store->load_sources();
                           })
                .map([&] { return std::move(store); });
        });
}

Store::Store(std::unique_ptr<SQLite::Database> database, std::string path)
    : database_(std::move(database)), path_(std::move(path))
{}

Store::~Store() = default;

void Store::load_sources()
{
    SQLite::Statement row{*database_, "SELECT id, device, channel FROM source"};
    while (row.executeStep()) {
        if (const auto channel = fabric::channel_from_name(row.getColumn(2).getString())) {
            source_numbers_[{row.getColumn(1).getString(), *channel}] = row.getColumn(0).getInt64();
        }
    }
    SQLite::Statement numbers{*database_, "SELECT source, epoch, highest, forgotten, latest_us FROM numbers"};
    while (numbers.executeStep()) {
        numbers_[{numbers.getColumn(0).getInt64(), from_column(numbers.getColumn(1).getInt64())}] = {
            from_column(numbers.getColumn(2).getInt64()), from_column(numbers.getColumn(3).getInt64()),
            numbers.getColumn(4).getInt64()};
    }
}

std::int64_t Store::source_number(const fabric::Source& source)
{
    if (const auto known = source_numbers_.find(source); known != source_numbers_.end()) {
        return known->second;
    }
    SQLite::Statement insert{*database_, "INSERT INTO source(device, channel) VALUES(?, ?)"};
    insert.bind(1, source.device);
    insert.bind(2, std::string{fabric::name(source.channel)});
    insert.exec();
    return source_numbers_[source] = database_->getLastInsertRowid();
}

Result<std::vector<StoredEvent>> Store::append(const Batch& batch) { return append({&batch, 1}, nullptr); }

Result<std::vector<StoredEvent>> Store::append(std::span<const Batch> batches, const LogPosition& position)
{
    return append(batches, &position);
}

Result<std::vector<StoredEvent>> Store::append(std::span<const Batch> batches, const LogPosition* position)
{
    auto numbers = numbers_;  // as they are if the transaction fails
    auto sources = source_numbers_;
    auto stored = guarded(path_, [&] {
        SQLite::Transaction transaction{*database_};
        std::vector<StoredEvent> added;
        for (const auto& batch : batches) {
            std::ranges::move(add_messages(batch), std::back_inserter(added));
            add_rest(batch);
            add_commands(batch);
            add_access(batch);
        }
        if (position != nullptr) {
            set_position(*position);
        }
        transaction.commit();
        return added;
    });
    if (!stored) {
        numbers_ = std::move(numbers);
        source_numbers_ = std::move(sources);
    }
    return stored;
}

std::vector<StoredEvent> Store::add_messages(const Batch& batch)
{
    std::vector<StoredEvent> added;
    if (batch.messages.empty()) {
        return added;
    }
    std::map<SourceEpoch, Numbers> changed;
    SQLite::Statement insert{*database_,
                             "INSERT INTO event(source, epoch, number, kind, port, priority, cause, neighbour_reason, "
                             "at_us, taken_us, text, event, id) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                             "ON CONFLICT(source, epoch, number) DO NOTHING"};
    for (const auto& taken : batch.messages) {
        const auto& message = taken.message;
        const auto source = source_number(message.source);
        if (message.source.channel == fabric::Channel::agent) {
            const auto [known, begins] = numbers_.try_emplace({source, message.position.epoch});
            auto& numbers = known->second;
            if (begins && message.position.epoch != 0 && message.position.number != 0) {
                numbers.forgotten = message.position.number - 1;  // what the agent kept is of an earlier epoch
            }
            if (!begins && message.position.number <= numbers.forgotten && taken.cursor == 0) {
                continue;
            }
            numbers.highest = std::max(numbers.highest, message.position.number);
            numbers.latest_us = std::max(numbers.latest_us, us_of(message.at));
            changed[{source, message.position.epoch}] = numbers;
        }
        bind_message(insert, source, taken);
        if (insert.exec() > 0) {
            added.push_back({database_->getLastInsertRowid(), message.source.device, message.port, taken.event});
        }
        insert.reset();
    }
    SQLite::Statement update{*database_, "INSERT OR REPLACE INTO numbers VALUES(?, ?, ?, ?, ?)"};
    for (const auto& [key, numbers] : changed) {
        update.bind(1, key.first);
        update.bind(2, to_column(key.second));
        update.bind(3, to_column(numbers.highest));
        update.bind(4, to_column(numbers.forgotten));
        update.bind(5, numbers.latest_us);
        update.exec();
        update.reset();
    }
    return added;
}

void Store::add_rest(const Batch& batch)
{
    const std::vector<std::pair<std::string, WallTime>> heard{batch.heard.begin(), batch.heard.end()};
    insert_all(*database_, "INSERT OR REPLACE INTO heard VALUES(?, ?)", heard, [](auto& insert, const auto& row) {
        insert.bind(1, row.first);
        insert.bind(2, us_of(row.second));
    });
    insert_all(*database_, "INSERT OR REPLACE INTO agent VALUES(?, ?, ?, ?)", batch.agents,
               [](auto& insert, const AgentRecord& row) {
                   insert.bind(1, row.agent);
                   insert.bind(2, row.boot);
                   insert.bind(3, row.version);
                   insert.bind(4, us_of(row.since));
               });
    insert_all(*database_, "INSERT OR REPLACE INTO device VALUES(?, ?, ?)", batch.devices,
               [](auto& insert, const DeviceRecord& row) {
                   insert.bind(1, row.state.device);
                   insert.bind(2, row.agent);
                   insert.bind(3, codec::device_state_json(row.state));
               });
    insert_all(*database_,
               "INSERT OR IGNORE INTO sample(device, port, queue, time_us, paused_us, tx_packets, rx_pfc, taken_us) "
               "VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
               batch.samples, [&](auto& insert, const fabric::QueueSample& row) {
                   insert.bind(1, row.port.device);
                   insert.bind(2, row.port.port);
                   insert.bind(3, static_cast<int>(row.queue.value));
                   insert.bind(4, us_of(row.at));
                   insert.bind(5, to_column(row.paused_us));
                   insert.bind(6, to_column(row.tx_packets));
                   insert.bind(7, to_column(row.rx_pfc));
                   insert.bind(8, us_of(batch.now));
               });
    insert_all(*database_, "INSERT INTO audit(at_us, who, what, target, result) VALUES(?, ?, ?, ?, ?)", batch.audit,
               [](auto& insert, const AuditEntry& row) {
                   insert.bind(1, us_of(row.at));
                   insert.bind(2, row.who);
                   insert.bind(3, row.what);
                   insert.bind(4, row.on);
                   insert.bind(5, row.result);
               });
}

}  // namespace petrel::manager
