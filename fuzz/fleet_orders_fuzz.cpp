// Lines of operators and agents to the manager, or any bytes in their place: orders, and requests for commands with
// results. An agent gets what was ordered for it and nothing else. The next process sends the same commands.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "codec/command_json.hpp"
#include "codec/control_json.hpp"
#include "codec/fleet_client_json.hpp"
#include "codec/manager/enrolment_json.hpp"
#include "codec/manager/fleet_json.hpp"
#include "fleet/selection.hpp"
#include "manager/commands.hpp"

namespace {

using namespace petrel;

class Conversation {
public:
    // Each line comes from another agent, or from an operator.
    void line(std::string_view text)
    {
        now_.mono += std::chrono::seconds{1};
        now_.wall += std::chrono::seconds{1};
        if (const auto order = codec::read_fleet_order(text)) {
            take(*order);
        } else {
            PETREL_ASSERT(!order.error().what.empty(), "refused without a reason");
        }
        if (const auto poll = codec::read_command_poll(text)) {
            const auto agent = *std::next(known_.agents.begin(), static_cast<std::ptrdiff_t>(agents_turn_++ % 3));
            for (const auto& result : poll->results) {
                commands_.result(agent, result, now_);
            }
        }
        commands_.advance(now_, no_troubles_);
        store();
        expect_own_commands();
    }

    void expect_the_same_after_a_restart() const
    {
        manager::Commands again;
        std::vector<manager::RolloutRow> rollouts;
        std::vector<manager::CommandRow> commands;
        std::ranges::transform(rollouts_, std::back_inserter(rollouts), [](const auto& one) { return one.second; });
        std::ranges::transform(rows_, std::back_inserter(commands), [](const auto& one) { return one.second; });
        again.load(rollouts, commands, no_troubles_);
        for (const auto& agent : known_.agents) {
            auto before = commands_.waiting_for(agent, now_.wall);
            std::erase_if(before, [&](const fleet::Delivery& one) { return !rows_.contains(one.id); });  // only reads
            PETREL_ASSERT(again.waiting_for(agent, now_.wall) == before, "other commands after a restart");
        }
    }

private:
    void take(const fleet::Order& order)
    {
        PETREL_ASSERT(codec::read_request(order.request), "an agent cannot read the request");
        auto agents = fleet::select(order, known_);
        if (!agents || order.dry_run) {
            PETREL_ASSERT(agents || !agents.error().what.empty(), "refused without a reason");
            return;
        }
        for (const auto& agent : *agents) {
            PETREL_ASSERT(known_.agents.contains(agent), "selected an unknown agent");
            ordered_[agent].insert(order.request);
        }
        const auto id = commands_.order(order, std::move(*agents), "operator", now_, no_troubles_);
        const auto shown = commands_.show(id).value();
        const auto read = codec::read_fleet_report(codec::rollout_json(shown));
        PETREL_ASSERT(read && read->id == id && read->agents.size() == shown.commands.size(), "shown otherwise");
    }

    void store()
    {
        manager::Batch batch;
        commands_.add_changes(batch);
        for (auto& row : batch.rollouts) {
            const auto plan = codec::read_plan(codec::plan_json(row.plan));
            PETREL_ASSERT(plan && *plan == row.plan, "another plan after writing and reading");
            rollouts_.insert_or_assign(row.id, std::move(row));
        }
        for (auto& row : batch.commands) {
            rows_.insert_or_assign(row.id, std::move(row));
        }
        commands_.stored();
    }

    void expect_own_commands() const
    {
        for (const auto& agent : known_.agents) {
            const auto waiting = commands_.waiting_for(agent, now_.wall);
            const auto read = codec::read_commands(codec::commands_json(waiting, Duration{}));
            PETREL_ASSERT(read && read->commands.size() == waiting.size(), "an agent cannot read its commands");
            for (std::size_t i = 0; i != waiting.size(); ++i) {
                const auto& known = ordered_.at(agent);
                PETREL_ASSERT(known.contains(waiting[i].request), "a command that was not ordered");
                PETREL_ASSERT(read->commands[i].id == waiting[i].id && known.contains(read->commands[i].request),
                              "the agent reads another command");
            }
        }
    }

    const fleet::KnownAgents known_{{"gpu-1", "leaf3", "leaf4"},
                                    {{"leaf3", "leaf3"}, {"s4", "leaf4"}},
                                    {{"leaf3", "r1", "leaf"}, {"leaf4", "r2", "leaf"}, {"gpu-1", "r1", "host"}}};
    const manager::Commands::Troubles no_troubles_ = [](const std::string&) { return std::set<std::string>{}; };
    Now now_{};
    std::size_t agents_turn_{};
    manager::Commands commands_;
    std::map<std::string, std::set<std::string>> ordered_;  // by agent, the requests
    std::map<std::uint64_t, manager::RolloutRow> rollouts_;
    std::map<std::uint64_t, manager::CommandRow> rows_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    Conversation conversation;
    for (auto left = text; !left.empty();) {
        const auto line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(left.size(), line.size() + 1));
        conversation.line(line);
    }
    conversation.expect_the_same_after_a_restart();

    const auto invitation = codec::read_invitation(text);
    PETREL_ASSERT(!invitation || (invitation->count() > 0 && invitation->count() <= 720), "an invitation without end");
    if (const auto plan = codec::read_plan(text)) {
        const auto again = codec::read_plan(codec::plan_json(*plan));
        PETREL_ASSERT(again && *again == *plan, "another plan after writing and reading");
    }
    return 0;
}
