#include "reports/agent/control_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/event_reader.hpp"
#include "config/stop_policy.hpp"
#include "control/names.hpp"
#include "reports/agent/control_problems.hpp"
#include "terminal/table.hpp"
#include "terminal/wrap.hpp"
#include "wire/rfc5424.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using control::DeviceReport;
using control::QueueReport;
using control::StatusReport;

std::string or_dash(std::string_view text) { return text.empty() ? "-" : escaped(text); }

std::string seconds_or_dash(std::int64_t us)
{
    return us == 0 ? "-" : seconds_text(Duration{std::chrono::microseconds{us}});
}

std::string queue_name(const QueueReport& queue)
{
    return queue.priority ? fmt::format("{}:{}", escaped(queue.port), *queue.priority) : escaped(queue.port);
}

// "latched" is what the watchdog has decided; "held" what an operator has ordered.
std::string phase_word(const QueueReport& queue)
{
    return queue.held ? "held" : or_dash(control::phase_name(queue.phase));
}

// The clock that runs: of pause towards T0 or, after the begin of a storm, of quiet towards T1.
std::string proven_cell(const QueueReport& queue)
{
    if (queue.proven_us == 0) {
        return "-";
    }
    const bool pause = !queue.phase || *queue.phase == watchdog::Phase::watching ||
                       *queue.phase == watchdog::Phase::probing || *queue.phase == watchdog::Phase::off;
    return fmt::format("{} {}", seconds_or_dash(queue.proven_us), pause ? "paused" : "quiet");
}

// The order of phases: storms that are not acted on, queues that cannot be watched, queues that wait for the operator
// or are being treated, queues whose storm is over.
int rank(const QueueReport& queue)
{
    using enum watchdog::Phase;
    constexpr auto kUnseen = std::nullopt;
    constexpr std::array<std::optional<watchdog::Phase>, 8> kWorstFirst{alerted,   kUnseen,   mitigating, latched,
                                                                        mitigated, restoring, probing,    watching};
    return static_cast<int>(std::find(kWorstFirst.begin(), kWorstFirst.end(), queue.phase) - kWorstFirst.begin());
}

bool is_known(const control::IntervalReport& interval) { return interval.programmed_us || interval.observed_us; }

// The device has intervals of its own for this queue, used or not.
bool has_intervals(const QueueReport& queue)
{
    return is_known(queue.detect_interval) || is_known(queue.restore_interval);
}

// "200/200/300 ms": configured, programmed, observed. "5000/polled/1500 ms": the device cannot do 5 s, so the agent
// polls the queue.
std::string interval_cell(const QueueReport& queue, const control::IntervalReport& interval)
{
    const auto ms = [](std::optional<std::int64_t> us, std::string_view otherwise) {
        return us ? fmt::format("{:g}", static_cast<double>(*us) / 1000) : std::string{otherwise};
    };
    return interval.configured_us == 0 ? "-"
                                       : fmt::format("{}/{}/{} ms", ms(interval.configured_us, "-"),
                                                     ms(interval.programmed_us, has_intervals(queue) ? "polled" : "-"),
                                                     ms(interval.observed_us, "-"));
}

Table queues_table(std::span<const QueueReport> queues, bool with_intervals, std::size_t width)
{
    std::vector<Table::Column> columns({{"device", Align::left, {}},
                                        {"queue", Align::left, {}},
                                        {"policy", Align::left, {}, 6},
                                        {"phase", Align::left, {}},
                                        {"configured", Align::left, "action", 4},
                                        {"effective", Align::left, {}, 5},
                                        {"observed", Align::left, {}},
                                        {"detected", Align::right, "storms", 1},
                                        {"restored", Align::right, {}, 8},
                                        {"in storm", Align::right, {}, 3},
                                        {"proven", Align::right, "clock", 2},
                                        {"longest", Align::right, "pause", 7}});
    if (with_intervals) {
        columns.push_back({"detect", Align::right, "intervals", 9});
        columns.push_back({"restore", Align::right, {}, 10});
    }
    Table table(std::move(columns));
    for (const auto& queue : queues) {
        std::vector<std::string> cells{or_dash(queue.device),
                                       queue_name(queue),
                                       or_dash(queue.policy),
                                       phase_word(queue),
                                       or_dash(control::action_name(queue.configured)),
                                       or_dash(control::action_name(queue.effective)),
                                       or_dash(control::treatment_name(queue.observed)),
                                       fmt::format("{}", queue.detected),
                                       fmt::format("{}", queue.restored),
                                       seconds_or_dash(queue.in_storm_us),
                                       proven_cell(queue),
                                       seconds_or_dash(queue.longest_pause_us)};
        if (with_intervals) {
            cells.push_back(interval_cell(queue, queue.detect_interval));
            cells.push_back(interval_cell(queue, queue.restore_interval));
        }
        table.add(std::move(cells));
    }
    table.fit(width);
    return table;
}

// The table, and the names of the columns that it left out.
std::string complete_text(const Table& table)
{
    return table.left_out().empty() ? table.text()
                                    : fmt::format("{}left out at this width: {}; a pipe or --json has everything\n",
                                                  table.text(), fmt::join(table.left_out(), ", "));
}

// A line for each device: the ports that face servers, in the agent's order.
std::string server_ports_text(std::span<const QueueReport> queues)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> devices;
    for (const auto& queue : queues) {
        if (!queue.host_facing) {
            continue;
        }
        if (devices.empty() || devices.back().first != queue.device) {
            devices.push_back({queue.device, {}});
        }
        auto& ports = devices.back().second;
        if (ports.empty() || ports.back() != escaped(queue.port)) {
            ports.push_back(escaped(queue.port));
        }
    }
    std::string text;
    for (const auto& [device, ports] : devices) {
        text += fmt::format("server-facing ports of {}: {}\n", escaped(device), fmt::join(ports, ", "));
    }
    return text.empty() ? text : '\n' + text;
}

// A NIC and a Slingshot switch have ports that are watched as a whole, and no queues.
std::string watched_cell(const DeviceReport& device)
{
    const auto queues = device.watched - std::min(device.watched_ports, device.watched);
    const auto ports = fmt::format("{} of {} ports", device.watched_ports, device.ports);
    if (device.watched_ports == 0) {
        return fmt::format("{} of {}", queues, device.queues);
    }
    return queues == 0 ? ports : fmt::format("{} of {}, {}", queues, device.queues, ports);
}

Table devices_table(std::span<const DeviceReport> devices, std::size_t width)
{
    Table table({{"device", Align::left, {}},
                 {"condition", Align::left, {}},
                 {"for", Align::right, {}, 1},
                 {"watched", Align::right, "queues"},
                 {"alerted", Align::right, {}, 2},
                 {"mitigated", Align::right, {}, 3},
                 {"latched", Align::right, {}, 4},
                 {"held", Align::right, {}, 4},
                 {"detected", Align::right, "storms", 5},
                 {"restored", Align::right, {}, 9},
                 {"poll", Align::right, "looks", 8},
                 {"longest", Align::right, {}, 10},
                 {"missed", Align::right, {}, 7},
                 {"failed", Align::right, {}, 6}});
    for (const auto& device : devices) {
        table.add({escaped(device.name), condition_text(device.condition), age_text(device.condition_ms),
                   watched_cell(device), fmt::format("{}", device.alerted), fmt::format("{}", device.mitigated),
                   fmt::format("{}", device.latched - std::min(device.held, device.latched)),
                   fmt::format("{}", device.held), fmt::format("{}", device.detected),
                   fmt::format("{}", device.restored), limit_text(std::chrono::microseconds{device.poll_us}),
                   ms_text(std::chrono::microseconds{device.longest_look_us}), fmt::format("{}", device.polls_missed),
                   fmt::format("{}", device.looks_failed)});
    }
    table.fit(width);
    return table;
}

std::string headline(const StatusReport& status, std::size_t problems, const Paint& paint)
{
    std::uint64_t queues = 0;
    std::uint64_t ports = 0;
    for (const auto& device : status.devices) {
        queues += device.watched - std::min(device.watched_ports, device.watched);
        ports += device.watched_ports;
    }
    const auto watched = ports == 0    ? count_text(queues, "queue")
                         : queues == 0 ? count_text(ports, "port")
                                       : count_text(queues, "queue") + " and " + count_text(ports, "port");
    const auto summary =
        fmt::format("{}: {}, {} watched", escaped(status.name), count_text(status.devices.size(), "device"), watched);
    return problems == 0 ? paint.green(summary + ", all well")
                         : paint.red(fmt::format("{}; {}", summary, count_text(problems, "problem")));
}

std::string problem_text(const Problem& problem, const Paint& paint)
{
    auto text = fmt::format("! {}\n", paint.bold(problem.what));
    for (const auto& line : problem.details) {
        text += fmt::format("      {}\n", line);
    }
    return text + fmt::format("    {}\n", problem.next);
}

std::string about_the_agent(const StatusReport& status)
{
    return fmt::format("petrel {}, pid {}, up {}; configuration {}; when stopped: {}; {} kept\n", status.version,
                       status.pid, age_text(status.up_ms),
                       status.config.empty() ? "by flags and defaults" : escaped(status.config),
                       status.stop_policy ? name(*status.stop_policy) : "", count_text(status.events, "event"));
}

std::string manager_line(const StatusReport& status)
{
    if (!status.manager || !status.manager->connected) {
        return {};  // without a connection it is a problem
    }
    const auto& manager = *status.manager;
    return fmt::format("manager {}: connected for {}, {} to send\n", escaped(manager.url), age_text(manager.since_ms),
                       count_text(manager.waiting, "event"));
}

std::string policies_text(const StatusReport& status)
{
    std::string text;
    for (const auto& policy : status.policies) {
        text += fmt::format("policy {} on {}: from {}\n", escaped(policy.policy),
                            policy.ports == 0 ? "all ports" : count_text(policy.ports, "port"), escaped(policy.source));
    }
    return text.empty() ? text : text + '\n';
}

std::string notes_text(std::span<const DeviceReport> devices)
{
    std::string text;
    for (const auto& device : devices) {
        for (const auto* notes : {&device.notes, &device.device_notes}) {
            for (const auto& note : *notes) {
                text += fmt::format("note: {}: {}\n", escaped(device.name), escaped(note));
            }
        }
    }
    return text.empty() ? text : '\n' + text;
}

std::string lines_text(std::span<const std::string> lines)
{
    std::string text;
    for (const auto& line : lines) {
        text += escaped(line) + '\n';
    }
    return text;
}

std::string traffic_line(const QueueReport& queue)
{
    return fmt::format("while mitigated: sent {}, dropped {}; received {}, dropped {} (last storm: {}, {}; {}, {})\n",
                       queue.tx_ok, queue.tx_drop, queue.rx_ok, queue.rx_drop, queue.tx_ok_last, queue.tx_drop_last,
                       queue.rx_ok_last, queue.rx_drop_last);
}

std::string intervals_line(const QueueReport& queue)
{
    if (has_intervals(queue)) {
        return fmt::format("intervals (configured/programmed/observed): detect {}, restore {}\n",
                           interval_cell(queue, queue.detect_interval), interval_cell(queue, queue.restore_interval));
    }
    const auto time = [](const control::IntervalReport& interval) {
        return limit_text(std::chrono::microseconds{interval.configured_us});
    };
    return fmt::format("intervals: detect {}, restore {}\n", time(queue.detect_interval), time(queue.restore_interval));
}

}  // namespace

std::string status_text(const StatusReport& status, const Paint& paint, std::size_t width)
{
    const auto problems = problems_of(status);
    auto text = headline(status, problems.size(), paint) + "\n\n";
    for (const auto& problem : problems) {
        text += problem_text(problem, paint) + '\n';
    }
    if (!status.devices.empty()) {
        text += complete_text(devices_table(status.devices, width)) + notes_text(status.devices) + '\n';
    }
    return wrapped(text + policies_text(status) + manager_line(status) + about_the_agent(status), width);
}

void sort_worst_first(std::vector<QueueReport>& queues)
{
    using Key = std::tuple<int, std::int64_t, std::size_t>;
    std::vector<Key> order;
    order.reserve(queues.size());
    for (const auto& queue : queues) {
        order.emplace_back(rank(queue), -queue.proven_us, order.size());
    }
    std::sort(order.begin(), order.end());
    std::vector<QueueReport> sorted;
    sorted.reserve(queues.size());
    for (const auto& key : order) {
        sorted.push_back(std::move(queues[std::get<std::size_t>(key)]));
    }
    queues = std::move(sorted);
}

std::string queue_lines(std::span<const QueueReport> queues, std::size_t width)
{
    return queues_table(queues, std::ranges::any_of(queues, has_intervals), width).text();
}

std::string watch_head(const StatusReport& status, std::size_t width, const Paint& paint)
{
    const auto problems = problems_of(status);
    auto text = headline(status, problems.size(), paint) + '\n';
    for (const auto& problem : problems) {
        text += fmt::format("! {}\n", problem.what);
    }
    return wrapped(text, width);
}

Checked check_text(const StatusReport& status)
{
    const auto problems = problems_of(status);
    auto text = headline(status, problems.size(), Paint{false}) + '\n';
    for (const auto& problem : problems) {
        text += problem.what + '\n';
    }
    return {std::move(text), problems.empty()};
}

std::string queues_text(std::vector<QueueReport> queues, bool only_stormed, std::size_t width)
{
    if (queues.empty()) {
        return only_stormed ? kNoStorm : "no queue is known: see petrel status\n";
    }
    const auto servers = only_stormed ? std::string{} : server_ports_text(queues);
    sort_worst_first(queues);
    return wrapped(complete_text(queues_table(queues, std::ranges::any_of(queues, has_intervals), width)) + servers,
                   width);
}

std::string explain_text(const control::ExplainReport& report, const Paint& paint, std::size_t width)
{
    const auto& queue = report.queue;
    auto text = fmt::format("{}:{} is {}", escaped(queue.device), queue_name(queue), paint.bold(phase_word(queue)));
    text += queue.policy.empty() ? "; no policy watches it\n\n" : fmt::format("; policy {}\n\n", escaped(queue.policy));
    text += complete_text(queues_table({&queue, 1}, false, width)) + '\n';
    if (!queue.policy.empty()) {
        text += intervals_line(queue) + '\n';
    }
    if (!queue.phase) {
        text += "It is configured and cannot be watched: petrel status shows why.\n\n";
    }
    if (queue.detected != 0) {
        text += traffic_line(queue) + '\n';
    }
    // For decisions from before a restart only the event is available.
    text += !report.lines.empty()  ? "The last decision:\n" + lines_text(report.lines)
            : report.event.empty() ? "Nothing has been decided about it yet.\n"
                                   : "The last decision:\n" + event_text(report.event, kAnyWidth);
    return wrapped(text, width);
}

std::string order_text(const control::OrderReport& report) { return lines_text(report.lines); }

std::string event_text(std::string_view line, std::size_t width)
{
    const auto read = codec::read_event(line);
    if (!read) {
        return escaped(line) + '\n';
    }
    const WallTime at{std::chrono::microseconds{read->time_us}};
    const auto why = read->known ? evidence_text(*read->known, {}) : std::string{};
    const auto text = fmt::format("{}  {}{}  {}{}{}\n", wire::utc_text(at), escaped(read->device),
                                  read->queue.empty() ? "" : ':' + escaped(read->queue), escaped(read->event),
                                  read->action.empty() ? "" : fmt::format(" ({})", escaped(read->action)),
                                  why.empty() ? "" : ": " + escaped(why));
    return wrapped(text, width);
}

std::string watch_text(const StatusReport& status, std::vector<QueueReport> queues, const Screen& screen,
                       const Paint& paint)
{
    constexpr std::size_t kTableHead = 3;
    const auto lines_of = [](std::string_view text) {
        return static_cast<std::size_t>(std::ranges::count(text, '\n'));
    };
    const auto problems = problems_of(status);
    auto text = wrapped(headline(status, problems.size(), paint) + '\n', screen.width);
    auto used = lines_of(text);
    const auto room = [&](std::size_t wanted) { return used + wanted < screen.lines; };
    for (const auto& problem : problems) {
        const auto said = wrapped(fmt::format("! {}\n", problem.what), screen.width);
        if (room(lines_of(said))) {
            text += said;
            used += lines_of(said);
        }
    }
    if (queues.empty()) {
        return text + (room(1) ? kNoStorm : "");
    }
    sort_worst_first(queues);
    if (!room(kTableHead + 2)) {
        return text;
    }
    const auto shown = std::min(queues.size(), screen.lines - used - kTableHead - 2);
    const auto intervals = std::ranges::any_of(queues, has_intervals);
    text += '\n' + queues_table(std::span{queues}.first(shown), intervals, screen.width).text();
    return text + (shown < queues.size() ? fmt::format("and {} more\n", queues.size() - shown) : "");
}

}  // namespace petrel::reports
