#include "api/command_desk.hpp"

#include <utility>

#include "api/answers.hpp"

namespace petrel::api {
namespace {

// As it would be carried out.
fleet::ShownRollout preview(const fleet::Order& order, std::vector<std::string> agents, const std::string& by, Now now)
{
    fleet::ShownRollout shown{0, now.wall, by, order.what, fleet::Rollout::State::running, {}, {}};
    std::size_t number = 0;
    for (const auto& wave : fleet::waves({std::move(agents), order.canary, order.then_percent, order.watch})) {
        ++number;
        for (const auto& agent : wave) {
            shown.commands.push_back({agent, number, false, {}, {}});
        }
    }
    return shown;
}

}  // namespace

void CommandDesk::order(const fleet::Order& order, const std::string& by, Now now, http::Reply reply)
{
    auto agents = fleet::select(order, manager_.known_agents(places_));
    if (!agents) {
        return reply(problem(kBadRequest, agents.error().what));
    }
    if (order.dry_run) {
        return reply(json(codec::rollout_json(preview(order, std::move(*agents), by, now))));
    }
    const auto id = manager_.commands().order(order, std::move(*agents), by, now, manager_.troubles(now.mono));
    ordered_.push_back({id, std::move(reply)});
    store_();
}

void CommandDesk::poll(const std::string& agent, const codec::CommandPoll& given, Now now, http::Reply reply)
{
    for (const auto& result : given.results) {
        manager_.commands().result(agent, result, now);
    }
    // The agent has one request at a time: an earlier one is of a connection that it gave up.
    if (const auto former = polls_.find(agent); former != polls_.end()) {
        former->second.reply(json(codec::commands_json({}, now.mono - former->second.since)));
    }
    polls_[agent] = {std::move(reply), now.mono, now.mono + given.wait, !given.results.empty()};
    advance(now);
    store_();
}

void CommandDesk::advance(Now now) { manager_.commands().advance(now, manager_.troubles(now.mono)); }

void CommandDesk::tick(Now now)
{
    advance(now);
    store_();
}

void CommandDesk::stored(Now now)
{
    for (const auto& [id, reply] : std::exchange(ordered_, {})) {
        const auto shown = manager_.commands().show(id);
        reply(shown ? json(codec::rollout_json(*shown)) : problem(kUnavailable, shown.error().what));
    }
    for (auto poll = polls_.begin(); poll != polls_.end();) {
        poll->second.has_results = false;
        const auto commands = manager_.commands().waiting_for(poll->first, now.wall);
        if (commands.empty() && now.mono < poll->second.until) {
            ++poll;
            continue;
        }
        poll->second.reply(json(codec::commands_json(commands, now.mono - poll->second.since)));
        poll = polls_.erase(poll);
    }
}

void CommandDesk::end(const Error& why)
{
    not_stored(why);
    for (const auto& [agent, poll] : std::exchange(polls_, {})) {
        poll.reply(problem(kUnavailable, why.what));
    }
}

void CommandDesk::not_stored(const Error& why)
{
    for (const auto& [id, reply] : std::exchange(ordered_, {})) {
        manager_.commands().drop(id);
        reply(problem(kUnavailable, why.what));
    }
    for (auto poll = polls_.begin(); poll != polls_.end();) {
        if (poll->second.has_results) {
            poll->second.reply(problem(kUnavailable, why.what));
            poll = polls_.erase(poll);
        } else {
            ++poll;
        }
    }
}

}  // namespace petrel::api
