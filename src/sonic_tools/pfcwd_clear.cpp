#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic_tools/agent_orders.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/queue_stats.hpp"

namespace petrel::sonic_tools {
namespace {

// An agent that owns its switch keeps its own counts and writes them to the tables again: the tables stay zero only if
// the agent's counts are zero as well.
bool owner_has_tables(Desk& desk)
{
    return desk.tables_are_agents() || std::ranges::any_of(desk.asics(), [](Tables& tables) {
               return !tables.hash(Db::state, sonic::kAgentMark).empty();
           });
}

[[noreturn]] void refuse(const Error& error, const std::vector<std::string>& cleared)
{
    stop_with(fmt::format("Error: {}\n{}", escaped(error.what),
                          cleared.empty()
                              ? "Nothing was cleared: the agent keeps counts, and these have to be cleared first"
                              : fmt::format("Cleared were: {}", excerpt(fmt::format("{}", fmt::join(cleared, ", "))))));
}

// If the agent is not reachable and does not own the switch, it has no counts to clear.
void clear_agents_counts(const std::vector<std::string>& names, Desk& desk)
{
    std::vector<std::string> cleared;
    for (const auto& name : means_all(names) ? std::vector<std::string>{""} : names) {
        for (const auto& done : order(desk, control::ControlRequest::Command::clear, name)) {
            if (!done && (done.error().kind != ErrorKind::unreachable || owner_has_tables(desk))) {
                refuse(done.error(), cleared);
            }
        }
        cleared.push_back(name);
    }
}

}  // namespace

// Skips queues in a storm, so that the counts of one storm stay complete.
Outcome clear_stats(const Given& given, Desk& desk)
{
    need_writer(desk);
    const auto asics = read_queues(desk, given.values("QUEUES"), Display::all);
    Hash zero;
    for (const auto& column : stat_columns()) {
        for (const auto& name : column.fields) {
            zero[name] = "0";
        }
    }
    Outcome outcome;
    for (const auto& [tables, queues] : asics) {
        std::vector<Change> changes;
        for (const auto& queue : queues) {
            if (queue.stormed()) {
                outcome.out += fmt::format("SKIPPED: storm on queue: {}\n", excerpt(queue.name));
            } else if (!queue.without_any()) {
                changes.push_back({Change::Kind::set, queue.key, zero});
            }
        }
        if (!desk.tables_are_agents()) {
            tables->change(Db::counters, std::move(changes));
        }
    }
    clear_agents_counts(given.values("QUEUES"), desk);
    return outcome;
}

}  // namespace petrel::sonic_tools
