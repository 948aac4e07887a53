// The store does not grow without bound.
#include <algorithm>

#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {
namespace {

constexpr std::int64_t kMostAtOnce = 2000;  // so that the loop does not wait long
constexpr std::int64_t kMostAudit = 10'000;

// Of a table whose rows are in the order of taken_us.
struct Kept {
    std::int64_t first{};  // by number
    std::int64_t last{};   // stays, so that its number is not used again
    std::int64_t oldest_us{};

    Kept(SQLite::Database& database, const char* table, std::size_t most, WallTime oldest)
        : last(database.execAndGet(fmt::format("SELECT IFNULL(MAX(id), 0) FROM {}", table)).getInt64()),
          oldest_us(us_of(oldest))
    {
        first = last - static_cast<std::int64_t>(most) + 1;
    }
};

}  // namespace

Result<bool> Store::prune(const Retention& retention, WallTime now, const Standing& keep)
{
    return guarded(path_, [&] {
        SQLite::Transaction transaction{*database_};
        const bool events = prune_events(retention, now, keep);
        const bool samples = prune_samples(retention, now);
        SQLite::Statement audit{*database_, "DELETE FROM audit WHERE id <= (SELECT MAX(id) FROM audit) - ?"};
        audit.bind(1, kMostAudit);
        audit.exec();
        transaction.commit();
        return events && samples;
    });
}

bool Store::prune_events(const Retention& retention, WallTime now, const Standing& keep)
{
    std::map<std::int64_t, const std::vector<fabric::Position>*> stay;  // by the number of the source
    for (const auto& [source, positions] : keep) {
        stay[source_number(source)] = &positions;
    }
    const Kept kept{*database_, "event", retention.most_events, now - retention.oldest_event};
    SQLite::Statement old{
        *database_,
        "SELECT id, taken_us, source, epoch, number FROM event WHERE id > ? AND id < ? ORDER BY id LIMIT ?"};
    old.bind(1, pruned_to_);
    old.bind(2, kept.last);
    old.bind(3, kMostAtOnce);
    std::vector<std::int64_t> forget;
    std::map<SourceEpoch, Numbers> changed;
    std::int64_t seen = 0;
    while (old.executeStep() &&
           (old.getColumn(0).getInt64() < kept.first || old.getColumn(1).getInt64() < kept.oldest_us)) {
        ++seen;
        pruned_to_ = old.getColumn(0).getInt64();
        const SourceEpoch place{old.getColumn(2).getInt64(), from_column(old.getColumn(3).getInt64())};
        const auto number = from_column(old.getColumn(4).getInt64());
        const auto standing = stay.find(place.first);
        if (standing != stay.end() &&
            std::ranges::binary_search(*standing->second, fabric::Position{place.second, number})) {
            continue;
        }
        forget.push_back(pruned_to_);
        if (const auto known = numbers_.find(place); known != numbers_.end()) {
            known->second.forgotten = std::max(known->second.forgotten, number);
            changed[place] = known->second;
        }
    }
    const bool complete = seen < kMostAtOnce;
    if (complete) {
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
    return complete;
}

bool Store::prune_samples(const Retention& retention, WallTime now)
{
    const Kept kept{*database_, "sample", retention.most_samples, now - retention.oldest_sample};
    SQLite::Statement remove{*database_, "DELETE FROM sample WHERE id IN (SELECT id FROM (SELECT id, taken_us FROM "
                                         "sample WHERE id < ? ORDER BY id LIMIT ?) WHERE id < ? OR taken_us < ?)"};
    remove.bind(1, kept.last);
    remove.bind(2, kMostAtOnce);
    remove.bind(3, kept.first);
    remove.bind(4, kept.oldest_us);
    return remove.exec() < kMostAtOnce;
}

}  // namespace petrel::manager
