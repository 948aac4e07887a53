#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/complaint_text.hpp"
#include "codec/event_reader.hpp"
#include "sonic_tools/agent_orders.hpp"
#include "sonic_tools/pfcwd_commands.hpp"
#include "sonic_tools/simple_table.hpp"
#include "wire/rfc5424.hpp"
#include "words/words.hpp"

namespace petrel::sonic_tools {
namespace {

using RequestCommand = control::ControlRequest::Command;

struct PastEvent {
    std::string line;
    codec::EventLine event;
};

std::vector<PastEvent> history(const Desk& desk)
{
    control::ControlRequest request;
    request.command = RequestCommand::events;
    std::vector<PastEvent> all;
    for (auto& line : request_lines(desk, request)) {
        if (auto event = codec::read_event(line)) {
            all.push_back({std::move(line), std::move(*event)});
        }
    }
    return all;
}

bool meant(std::span<const std::string> names, const std::string& queue)
{
    return means_all(names) ||
           std::any_of(names.begin(), names.end(), [&](const auto& name) { return means(name, queue); });
}

// The queues of past events are known as well: a queue that is gone may have a history.
void need_known_queues(const Desk& desk, std::span<const std::string> names, const std::vector<PastEvent>& past)
{
    std::set<std::string> known;
    const auto add = [&](const std::string& queue) { known.insert({queue, port_of(queue)}); };
    for (const auto& one : past) {
        add(one.event.queue);
    }
    const auto queues = agents_queues(desk);
    if (!queues) {
        stop_with(queues.error());
    }
    for (const auto& queue : *queues) {
        add(name_of(queue));
    }
    need_known(names, std::vector<std::string>{known.begin(), known.end()});
}

bool of_several_devices(const std::vector<PastEvent>& past)
{
    return std::any_of(past.begin(), past.end(),
                       [&](const PastEvent& one) { return one.event.device != past.front().event.device; });
}

// A message of the agent, cut and escaped.
std::string sentence(std::string_view text)
{
    constexpr std::size_t kLongestSentence = 4096;
    return escaped(shortened(text, kLongestSentence));
}

std::vector<std::string> cells_of(const codec::EventLine& event)
{
    const WallTime at{std::chrono::microseconds{event.time_us}};
    return {wire::utc_text(at), event.queue.empty() ? "all" : event.queue, event.event, event.action,
            event.known ? evidence_text(*event.known, {}) : std::string{}};
}

}  // namespace

// The table has a column for the device if the history has events of several devices.
Outcome show_history(const Given& given, Desk& desk)
{
    const auto wanted = given.values("QUEUES");
    const auto past = history(desk);
    if (!wanted.empty()) {
        need_known_queues(desk, wanted, past);
    }
    const bool devices = of_several_devices(past);
    SimpleTable table{{"TIME", "QUEUE", "EVENT", "ACTION", "WHY"}, {}};
    if (devices) {
        table.heading.insert(table.heading.begin() + 1, "DEVICE");
    }
    Outcome json;
    for (const auto& [line, event] : past) {
        if (!meant(wanted, event.queue)) {
            continue;
        }
        auto& row = table.rows.emplace_back(cells_of(event));
        if (devices) {
            row.insert(row.begin() + 1, event.device);
        }
        json.out += line + '\n';
    }
    return given.has("--json") ? json : Outcome{to_text(table), {}, 0};
}

Outcome release(const Given& given, Desk& desk)
{
    const auto wanted = given.values("QUEUES");
    if (wanted.empty()) {
        return usage_error(desk.command, desk.path, "Which queues? Their names, or all.");
    }
    const bool all = means_all(wanted);
    Outcome outcome;
    for (const auto& name : all ? std::vector<std::string>{""} : wanted) {
        for (const auto& done : order(desk, all ? RequestCommand::release_all : RequestCommand::release, name)) {
            if (done) {
                for (const auto& text : done->lines) {
                    outcome.out += sentence(text) + '\n';
                }
            } else {
                outcome.err += fmt::format("Error: {}\n", sentence(done.error().what));
                outcome.exit_code = 1;
            }
        }
    }
    return outcome;
}

}  // namespace petrel::sonic_tools
