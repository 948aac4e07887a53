#include <fmt/format.h>

#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/queue_stats.hpp"

namespace petrel::sonic_tools {

// What a storm is being counted on stays: the counts of one storm belong together.
Outcome clear_stats(const Given& given, Desk& desk)
{
    need_writer(desk);
    const auto queues = read_queues(desk.tables, given.words("QUEUES"), Display::all);
    Hash zero;
    for (const auto& column : stat_columns()) {
        for (const auto& name : column.fields) {
            zero[name] = "0";
        }
    }
    Outcome outcome;
    std::vector<Change> changes;
    for (const auto& queue : queues) {
        if (queue.stormed()) {
            outcome.out += fmt::format("SKIPPED: storm on queue: {}\n", queue.name);
        } else if (!queue.without_any()) {
            changes.push_back({Change::Kind::set, queue.key, zero});
        }
    }
    desk.tables.apply(Db::counters, changes);
    return outcome;
}

}  // namespace petrel::sonic_tools
