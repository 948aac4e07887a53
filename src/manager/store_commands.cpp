// The store's tables of commands for agents.
#include "codec/manager/fleet_json.hpp"
#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {
namespace {

constexpr auto kCommandTables = R"(
    CREATE TABLE IF NOT EXISTS rollout(
        id INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, request TEXT NOT NULL,
        plan TEXT NOT NULL, within_us INTEGER NOT NULL, state INTEGER NOT NULL, why TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS command(
        id INTEGER PRIMARY KEY, rollout INTEGER NOT NULL, agent TEXT NOT NULL, deadline_us INTEGER NOT NULL,
        state INTEGER NOT NULL, answer TEXT NOT NULL, ended_us INTEGER NOT NULL);
)";

// Of the newest roll-outs, as many as the manager keeps.
constexpr auto kForgetOld = R"(
    DELETE FROM command WHERE rollout < (SELECT id FROM rollout ORDER BY id DESC LIMIT 1 OFFSET 999);
    DELETE FROM rollout WHERE id < (SELECT id FROM rollout ORDER BY id DESC LIMIT 1 OFFSET 999);
)";

template <class State>
State state_in(const SQLite::Column& column, State last)
{
    const auto number = column.getInt();
    return number >= 0 && number <= static_cast<int>(last) ? static_cast<State>(number) : last;
}

}  // namespace

void Store::prepare_commands() { database_->exec(kCommandTables); }

void Store::add_commands(const Batch& batch)
{
    SQLite::Statement rollout{*database_, "INSERT OR REPLACE INTO rollout VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"};
    for (const auto& row : batch.rollouts) {
        rollout.bind(1, to_column(row.id));
        rollout.bind(2, us_of(row.at));
        rollout.bind(3, row.by);
        rollout.bind(4, row.what);
        rollout.bind(5, row.request);
        rollout.bind(6, codec::plan_json(row.plan));
        rollout.bind(7, whole_us(row.within));
        rollout.bind(8, static_cast<int>(row.state));
        rollout.bind(9, row.why);
        rollout.exec();
        rollout.reset();
    }
    SQLite::Statement command{*database_, "INSERT OR REPLACE INTO command VALUES(?, ?, ?, ?, ?, ?, ?)"};
    for (const auto& row : batch.commands) {
        command.bind(1, to_column(row.id));
        command.bind(2, to_column(row.rollout));
        command.bind(3, row.agent);
        command.bind(4, us_of(row.deadline));
        command.bind(5, static_cast<int>(row.state));
        command.bind(6, row.answer);
        command.bind(7, us_of(row.ended));
        command.exec();
        command.reset();
    }
    if (!batch.rollouts.empty()) {
        database_->exec(kForgetOld);
    }
}

Result<std::vector<RolloutRow>> Store::rollouts() const
{
    return guarded(path_, [&] {
        std::vector<RolloutRow> all;
        SQLite::Statement row{
            *database_, "SELECT id, at_us, who, what, request, plan, within_us, state, why FROM rollout ORDER BY id"};
        while (row.executeStep()) {
            const auto plan = codec::read_plan(row.getColumn(5).getString());
            if (!plan) {
                continue;  // of a newer version
            }
            all.push_back({from_column(row.getColumn(0).getInt64()), time_of(row.getColumn(1).getInt64()),
                           row.getColumn(2).getString(), row.getColumn(3).getString(), row.getColumn(4).getString(),
                           false, *plan, std::chrono::microseconds{row.getColumn(6).getInt64()},
                           state_in(row.getColumn(7), fleet::Rollout::State::stopped), row.getColumn(8).getString()});
        }
        return all;
    });
}

Result<std::vector<CommandRow>> Store::commands() const
{
    return guarded(path_, [&] {
        std::vector<CommandRow> all;
        SQLite::Statement row{
            *database_, "SELECT id, rollout, agent, deadline_us, state, answer, ended_us FROM command ORDER BY id"};
        while (row.executeStep()) {
            all.push_back({from_column(row.getColumn(0).getInt64()), from_column(row.getColumn(1).getInt64()),
                           row.getColumn(2).getString(), time_of(row.getColumn(3).getInt64()),
                           state_in(row.getColumn(4), fleet::CommandState::expired), row.getColumn(5).getString(),
                           time_of(row.getColumn(6).getInt64())});
        }
        return all;
    });
}

}  // namespace petrel::manager
