#include <fmt/format.h>

#include "codec/control_json.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/queue_stats.hpp"

namespace petrel::sonic_tools {
namespace {

// An agent that owns its switch counts for itself, and would write what it has again. Elsewhere there need not be any.
void clear_agents_own(const std::vector<std::string>& names, Desk& desk)
{
    for (const auto& name : means_all(names) ? std::vector<std::string>{""} : names) {
        codec::ControlRequest request;
        request.command = codec::ControlRequest::Command::clear;
        request.queue = name;
        request.note = desk.path;
        const auto cleared =
            desk.around.ask_agent(desk.where, request).and_then([](const std::vector<std::string>& lines) {
                return codec::read_order(lines.empty() ? std::string{} : lines.front());
            });
        if (!cleared && (desk.tables_are_agents() || cleared.error().kind != ErrorKind::unreachable)) {
            stop_with(fmt::format("Error: {}", cleared.error().what));
        }
    }
}

}  // namespace

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
    clear_agents_own(given.words("QUEUES"), desk);
    if (!desk.tables_are_agents()) {
        desk.tables.apply(Db::counters, changes);
    }
    return outcome;
}

}  // namespace petrel::sonic_tools
