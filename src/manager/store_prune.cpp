// The store does not grow without bound.
#include <algorithm>
#include <set>
#include <tuple>

#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {
namespace {

constexpr std::int64_t kMostAtOnce = 10'000;  // so that the loop does not wait long
constexpr std::int64_t kMostAudit = 10'000;

// The first row to keep of a table whose rows are in the order of taken_us. The last row always stays.
std::int64_t first_to_keep(SQLite::Database& database, const char* table, std::size_t most, WallTime oldest)
{
    SQLite::Statement ends{database, fmt::format("SELECT IFNULL(MIN(id), 0), IFNULL(MAX(id), 0) FROM {}", table)};
    ends.executeStep();
    const auto last = ends.getColumn(1).getInt64();  // stays, so that its number is not used again
    auto first = std::max<std::int64_t>(last - static_cast<std::int64_t>(most) + 1, 0);
    SQLite::Statement young{
        database, fmt::format("SELECT id FROM {} WHERE id >= ? AND taken_us >= ? ORDER BY id LIMIT 1", table)};
    young.bind(1, first);
    young.bind(2, us_of(oldest));
    first = young.executeStep() ? std::max(first, young.getColumn(0).getInt64()) : last;
    return std::min(first, last);
}

}  // namespace

Result<void> Store::prune(const Retention& retention, WallTime now,
                          const std::map<fabric::Source, std::vector<fabric::Position>>& keep)
{
    return guarded(path_, [&] {
        SQLite::Transaction transaction{*database_};
        prune_events(first_to_keep(*database_, "event", retention.most_events, now - retention.oldest_event), keep);
        prune_samples(retention, now);
        SQLite::Statement audit{*database_, "DELETE FROM audit WHERE id <= (SELECT MAX(id) FROM audit) - ?"};
        audit.bind(1, kMostAudit);
        audit.exec();
        transaction.commit();
    });
}

void Store::prune_events(std::int64_t first_kept, const std::map<fabric::Source, std::vector<fabric::Position>>& keep)
{
    std::set<std::tuple<std::int64_t, std::uint64_t, std::uint64_t>> stay;
    for (const auto& [source, positions] : keep) {
        for (const auto& position : positions) {
            stay.emplace(source_number(source), position.epoch, position.number);
        }
    }
    SQLite::Statement old{*database_,
                          "SELECT id, source, epoch, number FROM event WHERE id > ? AND id < ? ORDER BY id LIMIT ?"};
    old.bind(1, pruned_to_);
    old.bind(2, first_kept);
    old.bind(3, kMostAtOnce);
    std::vector<std::int64_t> forget;
    std::map<SourceEpoch, Numbers> changed;
    std::int64_t seen = 0;
    while (old.executeStep()) {
        ++seen;
        pruned_to_ = old.getColumn(0).getInt64();
        const SourceEpoch place{old.getColumn(1).getInt64(), from_column(old.getColumn(2).getInt64())};
        const auto number = from_column(old.getColumn(3).getInt64());
        if (stay.contains({place.first, place.second, number})) {
            continue;
        }
        forget.push_back(pruned_to_);
        if (const auto known = numbers_.find(place); known != numbers_.end()) {
            known->second.forgotten = std::max(known->second.forgotten, number);
            changed[place] = known->second;
        }
    }
    if (seen < kMostAtOnce) {
        pruned_to_ = 0;  // the next pass looks again at the events that were kept
    }
    SQLite::Statement remove{*database_, "DELETE FROM event WHERE id = ?"};
    for (const auto id : forget) {
        remove.bind(1, id);
        remove.exec();
        remove.reset();
    }
    SQLite::Statement update{*database_, "UPDATE numbers SET forgotten = ? WHERE source = ? AND epoch = ?"};
    for (const auto& [place, numbers] : changed) {
        update.bind(1, to_column(numbers.forgotten));
        update.bind(2, place.first);
        update.bind(3, to_column(place.second));
        update.exec();
        update.reset();
    }
}

void Store::prune_samples(const Retention& retention, WallTime now)
{
    const auto first = first_to_keep(*database_, "sample", retention.most_samples, now - retention.oldest_sample);
    SQLite::Statement remove{*database_,
                             "DELETE FROM sample WHERE id IN (SELECT id FROM sample WHERE id < ? ORDER BY id LIMIT ?)"};
    remove.bind(1, first);
    remove.bind(2, kMostAtOnce);
    remove.exec();
}

}  // namespace petrel::manager
