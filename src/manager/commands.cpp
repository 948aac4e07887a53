#include "manager/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

namespace petrel::manager {
namespace {

using fleet::CommandState;
using fleet::Rollout;

std::uint64_t us_since_1970(WallTime at)
{
    return static_cast<std::uint64_t>(std::max<std::int64_t>(at.time_since_epoch().count(), 0));
}

WallTime later(WallTime at, Duration by) { return at + std::chrono::floor<WallTime::duration>(by); }

}  // namespace

// The time in microseconds, so that a manager that was replaced has higher numbers than the one before.
std::uint64_t Commands::next_id(WallTime now) { return last_id_ = std::max(last_id_ + 1, us_since_1970(now)); }

Commands::Live& Commands::add(RolloutRow row, Rollout rollout, const Troubles& troubles)
{
    const auto id = row.id;
    auto& live = rollouts_.insert_or_assign(id, Live{std::move(row), std::move(rollout), false, {}, {}}).first->second;
    if (live.row.plan.canary != 0 && live.rollout.state() == Rollout::State::running) {
        for (const auto& agent : live.row.plan.agents) {
            live.before[agent] = troubles(agent);
        }
    }
    return live;
}

void Commands::load(const std::vector<RolloutRow>& rollouts, const std::vector<CommandRow>& commands,
                    const Troubles& troubles)
{
    std::map<std::uint64_t, std::map<std::string, CommandState>> sent;
    for (const auto& row : commands) {
        sent[row.rollout][row.agent] = row.state;
        last_id_ = std::max(last_id_, row.id);
    }
    for (const auto& row : rollouts) {
        Rollout rollout{row.plan, sent[row.id]};
        if (row.state == Rollout::State::stopped) {
            rollout.alarm(row.why);
        }
        add(row, std::move(rollout), troubles).stored = true;
        last_id_ = std::max(last_id_, row.id);
    }
    for (const auto& row : commands) {
        const auto live = rollouts_.find(row.rollout);
        if (live == rollouts_.end()) {
            continue;
        }
        live->second.commands[row.agent] = row.id;
        commands_[row.id] = {row.rollout, row.agent, row.deadline, row.state, row.answer, row.ended};
        if (row.state == CommandState::waiting) {
            waiting_[row.agent].push_back(row.id);
        }
    }
}

std::uint64_t Commands::order(const fleet::Order& order, std::vector<std::string> agents, const std::string& by,
                              Now now, const Troubles& troubles)
{
    const auto id = next_id(now.wall);
    const fleet::RolloutPlan plan{std::move(agents), order.canary, order.then_percent, order.watch};
    auto& live =
        add({id, now.wall, by, order.what, order.request, order.reads, plan, order.within, Rollout::State::running, {}},
            Rollout{plan}, troubles);
    if (!order.reads) {
        changed_rollouts_.insert(id);
        note(id, {now.wall, by, "command", order.what,
                  fmt::format("ordered for {} agents, number {}", plan.agents.size(), id)});
    }
    send(id, live, live.rollout.next(now.mono), now.wall);
    forget_old();
    return id;
}

void Commands::send(std::uint64_t id, Live& live, const std::vector<std::string>& agents, WallTime now)
{
    for (const auto& agent : agents) {
        const auto command = next_id(now);
        commands_[command] = {id, agent, later(now, live.row.within), CommandState::waiting, {}, {}};
        live.commands[agent] = command;
        waiting_[agent].push_back(command);
        if (!live.row.reads) {
            changed_commands_.insert(command);
        }
    }
}

void Commands::note(std::uint64_t rollout, AuditEntry entry) { audit_.emplace_back(rollout, std::move(entry)); }

void Commands::result(const std::string& agent, const fleet::CommandResult& result, Now now)
{
    const auto known = commands_.find(result.id);
    if (known == commands_.end() || known->second.agent != agent) {
        return;
    }
    const auto state = known->second.state;
    if (state == CommandState::waiting || state == CommandState::expired) {  // else it came before
        end(known->second, result.id, result.good ? CommandState::done : CommandState::failed, result.answer, now.wall);
    }
}

void Commands::end(Command& command, std::uint64_t id, CommandState state, std::string answer, WallTime now)
{
    command.state = state;
    command.answer = std::move(answer);
    command.ended = now;
    std::erase(waiting_[command.agent], id);
    const auto live = rollouts_.find(command.rollout);
    if (live == rollouts_.end()) {
        return;
    }
    live->second.rollout.result(command.agent, state);
    if (!live->second.row.reads) {
        changed_commands_.insert(id);
        note(command.rollout, {now, command.agent, "command_result", live->second.row.what,
                               fmt::format("{}, number {}", fleet::name(state), command.rollout)});
    }
}

void Commands::expire(WallTime now)
{
    for (const auto& [agent, waiting] : waiting_) {
        for (const auto id : std::vector{waiting}) {
            auto& command = commands_.at(id);
            if (now > later(command.deadline, kGrace)) {
                end(command, id, CommandState::expired, {}, now);
            }
        }
    }
}

void Commands::find_alarms(Live& live, const Troubles& troubles) const
{
    for (const auto& agent : live.row.plan.agents) {
        if (!live.rollout.reached(agent)) {
            continue;
        }
        for (const auto& trouble : troubles(agent)) {
            if (!live.before[agent].contains(trouble)) {
                return live.rollout.alarm(trouble);
            }
        }
    }
}

void Commands::advance(Now now, const Troubles& troubles)
{
    expire(now.wall);
    for (auto& [id, live] : rollouts_) {
        if (live.row.state != Rollout::State::running) {
            continue;
        }
        if (live.row.plan.canary != 0 && live.rollout.state() == Rollout::State::running) {
            find_alarms(live, troubles);
        }
        send(id, live, live.rollout.next(now.mono), now.wall);
        if (live.rollout.state() == live.row.state) {
            continue;
        }
        live.row.state = live.rollout.state();
        live.row.why = live.rollout.why();
        if (!live.row.reads) {
            changed_rollouts_.insert(id);
            note(id, {now.wall, "manager", "command_end", live.row.what,
                      live.row.why.empty() ? fmt::format("{}, number {}", name(live.row.state), id)
                                           : fmt::format("stopped, number {}: {}", id, live.row.why)});
        }
    }
}

void Commands::add_changes(Batch& batch) const
{
    for (const auto id : changed_rollouts_) {
        batch.rollouts.push_back(rollouts_.at(id).row);
    }
    for (const auto id : changed_commands_) {
        const auto& command = commands_.at(id);
        batch.commands.push_back(
            {id, command.rollout, command.agent, command.deadline, command.state, command.answer, command.ended});
    }
    for (const auto& [rollout, entry] : audit_) {
        batch.audit.push_back(entry);
    }
}

void Commands::stored()
{
    for (const auto id : changed_rollouts_) {
        rollouts_.at(id).stored = true;
    }
    changed_rollouts_.clear();
    changed_commands_.clear();
    audit_.clear();
}

void Commands::drop(std::uint64_t rollout)
{
    forget(rollout);
    std::erase_if(audit_, [&](const auto& entry) { return entry.first == rollout; });
}

void Commands::forget(std::uint64_t rollout)
{
    const auto live = rollouts_.find(rollout);
    if (live == rollouts_.end()) {
        return;
    }
    for (const auto& [agent, id] : live->second.commands) {
        std::erase(waiting_[agent], id);
        commands_.erase(id);
        changed_commands_.erase(id);
    }
    changed_rollouts_.erase(rollout);
    rollouts_.erase(live);
}

// The oldest ones that have ended.
void Commands::forget_old()
{
    for (const bool reads : {true, false}) {
        std::vector<std::uint64_t> kept;
        for (const auto& [id, live] : rollouts_) {
            if (live.row.reads == reads) {
                kept.push_back(id);
            }
        }
        const auto most = reads ? kReadsKept : kRolloutsKept;
        kept.resize(kept.size() - std::min(kept.size(), most));  // the oldest
        for (const auto id : kept) {
            if (reads || rollouts_.at(id).row.state != Rollout::State::running) {
                forget(id);
            }
        }
    }
}

std::vector<fleet::Delivery> Commands::waiting_for(const std::string& agent, WallTime now) const
{
    std::vector<fleet::Delivery> all;
    const auto waiting = waiting_.find(agent);
    if (waiting == waiting_.end()) {
        return all;
    }
    for (const auto id : waiting->second | std::views::take(kMostAtOnce)) {
        const auto& command = commands_.at(id);
        if (command.deadline > now && is_stored(id)) {
            const auto& row = rollouts_.at(command.rollout).row;
            all.push_back({id, row.by, row.request, command.deadline - now});
        }
    }
    return all;
}

fleet::ShownRollout Commands::shown(std::uint64_t id, const Live& live, bool answers) const
{
    fleet::ShownRollout shown{id, live.row.at, live.row.by, live.row.what, live.row.state, live.row.why, {}};
    std::size_t wave = 0;
    for (const auto& agents : fleet::waves(live.row.plan)) {
        ++wave;
        for (const auto& agent : agents) {
            auto& one = shown.commands.emplace_back(fleet::ShownCommand{agent, wave, false, {}, {}});
            if (const auto sent = live.commands.find(agent); sent != live.commands.end()) {
                const auto& command = commands_.at(sent->second);
                one.sent = true;
                one.state = command.state;
                one.answer = answers ? command.answer : std::string{};
            }
        }
    }
    return shown;
}

std::vector<fleet::ShownRollout> Commands::list(std::size_t most) const
{
    std::vector<fleet::ShownRollout> all;
    for (const auto& [id, live] : rollouts_ | std::views::reverse) {
        if (live.stored && all.size() < most) {
            all.push_back(shown(id, live, false));
        }
    }
    return all;
}

Result<fleet::ShownRollout> Commands::show(std::uint64_t id) const
{
    const auto live = rollouts_.find(id);
    if (live == rollouts_.end()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("no command has the number {}", id)});
    }
    return shown(id, live->second, true);
}

}  // namespace petrel::manager
