// The store of a manager that shares a log with others: how far it has come, and what the log does not need.
#include <algorithm>
#include <set>
#include <tuple>

#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {

void Store::prepare_log(SQLite::Database& database)
{
    database.exec("CREATE TABLE IF NOT EXISTS log(one INTEGER PRIMARY KEY CHECK(one = 1), id TEXT NOT NULL, "
                  "entry INTEGER NOT NULL)");
}

void Store::set_position(const LogPosition& position)
{
    SQLite::Statement replace{*database_, "INSERT OR REPLACE INTO log VALUES(1, ?, ?)"};
    replace.bind(1, position.log);
    replace.bind(2, to_column(position.entry));
    replace.exec();
}

Result<std::optional<LogPosition>> Store::position() const
{
    return guarded(path_, [&] {
        SQLite::Statement row{*database_, "SELECT id, entry FROM log"};
        return row.executeStep()
                   ? std::optional{LogPosition{row.getColumn(0).getString(), from_column(row.getColumn(1).getInt64())}}
                   : std::nullopt;
    });
}

Result<void> Store::leave_log()
{
    return guarded(path_, [&] { database_->exec("DELETE FROM log"); });
}

Result<bool> Store::empty() const
{
    return guarded(path_, [&] {
        return database_
                   ->execAndGet("SELECT EXISTS(SELECT 1 FROM event) OR EXISTS(SELECT 1 FROM agent) OR "
                                "EXISTS(SELECT 1 FROM heard) OR EXISTS(SELECT 1 FROM audit) OR "
                                "EXISTS(SELECT 1 FROM rollout) OR EXISTS(SELECT 1 FROM invitation) OR "
                                "EXISTS(SELECT 1 FROM revocation)")
                   .getInt() == 0;
    });
}

Result<Batch> Store::only_new(Batch batch) const
{
    return last_cursor().and_then([&](std::int64_t cursor) {
        return guarded(path_, [&] {
            SQLite::Statement known{*database_, "SELECT 1 FROM event WHERE source = ? AND epoch = ? AND number = ?"};
            std::set<std::tuple<fabric::Source, fabric::Position>> here;
            const auto is_stored = [&](const fabric::Message& message) {
                const auto source = source_numbers_.find(message.source);
                if (source == source_numbers_.end()) {
                    return false;
                }
                const auto [epoch, number] = message.position;
                if (message.source.channel == fabric::Channel::agent) {
                    const auto numbers = numbers_.find({source->second, epoch});
                    if (numbers == numbers_.end() || number > numbers->second.highest) {
                        return false;
                    }
                    if (number <= numbers->second.forgotten) {
                        return true;
                    }
                }
                known.reset();
                known.bind(1, source->second);
                known.bind(2, to_column(epoch));
                known.bind(3, to_column(number));
                return known.executeStep();
            };
            std::erase_if(batch.messages, [&](const TakenMessage& taken) {
                return !here.emplace(taken.message.source, taken.message.position).second || is_stored(taken.message);
            });
            for (auto& taken : batch.messages) {
                taken.cursor = ++cursor;
            }
            return std::move(batch);
        });
    });
}

}  // namespace petrel::manager
