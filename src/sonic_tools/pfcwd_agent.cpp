#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "codec/control_json.hpp"
#include "codec/event_reader.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/simple_table.hpp"
#include "wire/rfc5424.hpp"
#include "words/words.hpp"

namespace petrel::sonic_tools {
namespace {

using codec::ControlRequest;
using Ask = ControlRequest::Command;

ControlRequest request(Ask command, std::string queue, std::string note)
{
    ControlRequest made;
    made.command = command;
    made.queue = std::move(queue);
    made.note = std::move(note);
    return made;
}

std::vector<std::string> ask(Desk& desk, const ControlRequest& question)
{
    auto lines = desk.around.ask_agent(desk.where, question);
    if (!lines) {
        stop_with(fmt::format("Error: {}", lines.error().what));
    }
    return std::move(*lines);
}

// A queue was meant by its own name or by that of its port.
bool meant(std::span<const std::string> names, const std::string& queue)
{
    return means_all(names) || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return queue == name || queue.starts_with(name + ':');
           });
}

std::vector<std::string> cells_of(const codec::EventLine& event)
{
    const WallTime at{std::chrono::microseconds{event.time_us}};
    return {wire::utc_text(at), escaped(event.queue.empty() ? "all" : event.queue), escaped(event.event),
            escaped(event.action), event.known ? escaped(evidence_text(*event.known, {})) : std::string{}};
}

}  // namespace

Outcome show_history(const Given& given, Desk& desk)
{
    const auto wanted = given.words("QUEUES");
    SimpleTable table{{"TIME", "QUEUE", "EVENT", "ACTION", "WHY"}, {}};
    Outcome json;
    for (const auto& line : ask(desk, request(Ask::events, {}, {}))) {
        const auto event = codec::read_event(line);
        if (event && meant(wanted, event->queue)) {
            table.rows.push_back(cells_of(*event));
            json.out += line + '\n';
        }
    }
    return given.has("--json") ? json : Outcome{to_text(table), {}, 0};
}

Outcome release(const Given& given, Desk& desk)
{
    const auto wanted = given.words("QUEUES");
    if (wanted.empty()) {
        return usage_error(desk.command, desk.path, "Which queues? Their names, or all.");
    }
    std::vector<ControlRequest> requests;
    if (means_all(wanted)) {
        requests.push_back(request(Ask::release_all, {}, desk.path));
    } else {
        for (const auto& queue : wanted) {
            requests.push_back(request(Ask::release, queue, desk.path));
        }
    }
    Outcome outcome;
    for (const auto& order : requests) {
        const auto lines = ask(desk, order);
        const auto report = lines.empty() ? codec::read_order("") : codec::read_order(lines.front());
        if (report) {
            outcome.out += fmt::format("{}\n", fmt::join(report->words, "\n"));
        } else {
            outcome.err += fmt::format("Error: {}\n", report.error().what);
            outcome.exit_code = 1;
        }
    }
    return outcome;
}

}  // namespace petrel::sonic_tools
