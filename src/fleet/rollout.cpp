#include "fleet/rollout.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace petrel::fleet {

std::string_view name(CommandState state)
{
    switch (state) {
    case CommandState::waiting: return "waiting";
    case CommandState::done: return "done";
    case CommandState::failed: return "failed";
    case CommandState::expired: return "expired";
    }
    return {};
}

std::string_view name(Rollout::State state)
{
    switch (state) {
    case Rollout::State::running: return "running";
    case Rollout::State::done: return "done";
    case Rollout::State::stopped: return "stopped";
    }
    return {};
}

std::vector<std::vector<std::string>> waves(const RolloutPlan& plan)
{
    const auto all = plan.agents.size();
    const auto share = (all * plan.then_percent + 99) / 100;
    auto size = plan.canary == 0 ? all : plan.canary;
    std::vector<std::vector<std::string>> result;
    for (std::size_t first = 0; first < all;) {
        const auto count = std::min(size, all - first);
        const auto begin = std::next(plan.agents.begin(), static_cast<std::ptrdiff_t>(first));
        result.emplace_back(begin, std::next(begin, static_cast<std::ptrdiff_t>(count)));
        first += count;
        size = std::max(share, std::size_t{1});
    }
    return result;
}

Rollout::Rollout(RolloutPlan plan, std::map<std::string, CommandState> sent)
    : plan_(std::move(plan)), waves_(waves(plan_)), sent_(std::move(sent))
{
    while (released_ < waves_.size() &&
           std::ranges::all_of(waves_[released_], [&](const auto& one) { return sent_.contains(one); })) {
        ++released_;
    }
    for (const auto& [agent, state] : std::map{sent_}) {
        result(agent, state);
    }
}

std::vector<std::string> Rollout::next(Instant now)
{
    if (state_ != State::running) {
        return {};
    }
    if (any(CommandState::waiting)) {
        wake_ = kNever;
        return {};
    }
    if (released_ == waves_.size()) {
        state_ = State::done;
        wake_ = kNever;
        return {};
    }
    if (released_ != 0) {
        wake_ = wake_ == kNever ? now + plan_.watch : wake_;
        if (now < wake_) {
            return {};
        }
    }
    wake_ = kNever;
    const auto& wave = waves_[released_++];
    for (const auto& agent : wave) {
        sent_.try_emplace(agent, CommandState::waiting);
    }
    return wave;
}

bool Rollout::any(CommandState state) const
{
    return std::ranges::any_of(sent_, [&](const auto& one) { return one.second == state; });
}

void Rollout::result(const std::string& agent, CommandState state)
{
    const auto known = sent_.find(agent);
    if (known == sent_.end()) {
        return;
    }
    known->second = state;
    if (state == CommandState::failed || state == CommandState::expired) {
        alarm(agent + ": the command " + (state == CommandState::failed ? "failed" : "has no result in time"));
    }
}

void Rollout::alarm(std::string why)
{
    if (state_ == State::running && released_ < waves_.size()) {
        state_ = State::stopped;
        why_ = std::move(why);
        wake_ = kNever;
    }
}

}  // namespace petrel::fleet
