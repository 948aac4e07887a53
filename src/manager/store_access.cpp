// Invitations and revocations of agents in the store.
#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {

void Store::prepare_access(SQLite::Database& database)
{
    database.exec("CREATE TABLE IF NOT EXISTS invitation(digest TEXT PRIMARY KEY, agent TEXT NOT NULL, "
                  "until_us INTEGER NOT NULL, used_by TEXT NOT NULL) WITHOUT ROWID");
    database.exec(
        "CREATE TABLE IF NOT EXISTS revocation(agent TEXT PRIMARY KEY, at_us INTEGER NOT NULL) WITHOUT ROWID");
}

void Store::add_access(const Batch& batch)
{
    for (const auto& row : batch.invitations) {
        SQLite::Statement insert{*database_, "INSERT OR REPLACE INTO invitation VALUES(?, ?, ?, ?)"};
        insert.bind(1, row.digest);
        insert.bind(2, row.agent);
        insert.bind(3, us_of(row.until));
        insert.bind(4, row.key);
        insert.exec();
    }
    for (const auto& row : batch.revocations) {
        SQLite::Statement insert{*database_, "INSERT OR REPLACE INTO revocation VALUES(?, ?)"};
        insert.bind(1, row.agent);
        insert.bind(2, us_of(row.at));
        insert.exec();
        SQLite::Statement remove{*database_, "DELETE FROM invitation WHERE agent = ?"};
        remove.bind(1, row.agent);
        remove.exec();
    }
    if (!batch.invitations.empty()) {
        SQLite::Statement remove{*database_, "DELETE FROM invitation WHERE until_us < ?"};
        remove.bind(1, us_of(batch.now));
        remove.exec();
    }
}

Result<std::optional<Invitation>> Store::invitation(const std::string& digest) const
{
    return guarded(path_, [&] {
        SQLite::Statement row{*database_, "SELECT agent, until_us, used_by FROM invitation WHERE digest = ?"};
        row.bind(1, digest);
        return row.executeStep()
                   ? std::optional{Invitation{digest, row.getColumn(0).getString(),
                                              time_of(row.getColumn(1).getInt64()), row.getColumn(2).getString()}}
                   : std::nullopt;
    });
}

Result<std::vector<Revocation>> Store::revocations() const
{
    return guarded(path_, [&] {
        std::vector<Revocation> all;
        SQLite::Statement row{*database_, "SELECT agent, at_us FROM revocation"};
        while (row.executeStep()) {
            all.push_back({row.getColumn(0).getString(), time_of(row.getColumn(1).getInt64())});
        }
        return all;
    });
}

}  // namespace petrel::manager
