#include "uplink/command_inbox.hpp"

#include <algorithm>
#include <utility>

namespace petrel::uplink {
namespace {

constexpr auto kForgotten =
    R"({"ok":false,"error":{"kind":"corrupt","what":"executed before; its result is not kept any more"}})";

}  // namespace

CommandInbox::CommandInbox(CommandRecord before) : record_(std::move(before)), begun_before_(record_.under_way)
{
    for (const auto& result : record_.results) {
        unsent_[result.id] = result.answer;  // the manager may not have it
    }
}

void CommandInbox::take(const std::vector<ManagerCommand>& commands, Instant sent, Duration held)
{
    for (const auto& command : commands) {
        if (command.id <= record_.finished) {
            answer_again(command.id);
        } else if (busy_ && command.id == record_.under_way) {
            continue;
        } else if (waiting_.size() < kMostWaiting) {  // else the manager sends it again
            const auto deadline = sent + held + command.within;
            auto& waiting = waiting_.try_emplace(command.id, Waiting{command, deadline}).first->second;
            waiting.deadline = std::min(waiting.deadline, deadline);
        }
    }
}

void CommandInbox::answer_again(std::uint64_t id)
{
    const auto known = std::ranges::find(record_.results, id, &CommandResult::id);
    unsent_[id] = known == record_.results.end() ? kForgotten : known->answer;
}

std::optional<CommandInbox::Due> CommandInbox::begin(Instant now)
{
    if (busy_ || waiting_.empty()) {
        return std::nullopt;
    }
    busy_ = true;
    const auto first = waiting_.extract(waiting_.begin()).mapped();
    record_.under_way = first.command.id;
    const bool begun_before = std::exchange(begun_before_, 0) == first.command.id;
    return Due{first.command, now > first.deadline, begun_before};
}

void CommandInbox::finish(std::string answer, bool keep)
{
    const auto id = std::exchange(record_.under_way, 0);
    busy_ = false;
    record_.finished = std::max(record_.finished, id);
    if (keep) {
        record_.results.push_back({id, answer});
    }
    while (record_.results.size() > kResultsKept) {
        record_.results.pop_front();
    }
    unsent_[id] = std::move(answer);
}

std::vector<CommandResult> CommandInbox::results() const
{
    std::vector<CommandResult> all;
    for (const auto& [id, answer] : unsent_) {
        all.push_back({id, answer});
    }
    return all;
}

void CommandInbox::delivered(const std::vector<CommandResult>& sent)
{
    for (const auto& result : sent) {
        if (const auto known = unsent_.find(result.id); known != unsent_.end() && known->second == result.answer) {
            unsent_.erase(known);
        }
    }
}

}  // namespace petrel::uplink
