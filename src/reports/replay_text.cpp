#include "reports/replay_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "terminal/table.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

constexpr std::string_view kNothing = "-";

std::string or_nothing(const std::string& text) { return text.empty() ? std::string{kNothing} : text; }

// A row for each policy, so that the table fits any terminal.
std::string comparison(const ReplayReport& report, std::size_t width)
{
    Table table({{"queue", Align::left, {}},
                 {"policy", Align::left, {}},
                 {"storms", Align::right, {}},
                 {"detected at", Align::right, {}},
                 {"restored at", Align::right, {}},
                 {"in storm", Align::right, {}, 1}});
    for (const auto queue : queues_with_events(report)) {
        for (const auto& run : report.runs) {
            const auto result = result_of(run, queue);
            table.add({queue_text(report, queue), run.label, fmt::format("{}", result.storms),
                       or_nothing(result.detected ? seconds_text(*result.detected) : ""),
                       or_nothing(restored_text(result)),
                       or_nothing(result.storms == 0 ? "" : seconds_text(result.in_storm))});
        }
    }
    table.fit(width);
    return table.empty() ? "No policy saw a storm.\n" : table.text();
}

struct Cells {
    std::string time, event, queue, policy, action, why;
};

std::string event_lines(const PolicyRun& run, const Paint& paint)
{
    std::vector<Cells> lines;
    Cells widest;
    const auto widen = [](std::string& widest_cell, const std::string& cell) {
        widest_cell.resize(std::max(widest_cell.size(), cell.size()));
    };
    const auto events = events_in_time(run);
    for (const auto& [device, event] : events) {
        const auto& replayed = run.devices[device];
        Cells cells{seconds_text(event->at) + " s",
                    std::string{name(event->kind)},
                    fmt::format("{}:{}", replayed.device, to_string(replayed.watchlist.inventory, event->target)),
                    policy_text(*event, replayed.watchlist),
                    std::string{watchdog::action_name(event->action)},
                    fmt::format("{}: {}", name(event->reason), evidence_text(*event, replayed.watchlist))};
        widen(widest.time, cells.time);
        widen(widest.event, cells.event);
        widen(widest.queue, cells.queue);
        widen(widest.policy, cells.policy);
        widen(widest.action, cells.action);
        lines.push_back(std::move(cells));
    }
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto& w = lines[i];
        const auto event = fmt::format("{:<{}}", w.event, widest.event.size());
        text += fmt::format("{:>{}}  {}  {:<{}}  {:<{}}  {:<{}}  {}\n", w.time, widest.time.size(),
                            painted(events[i].event->kind, event, paint), w.queue, widest.queue.size(), w.policy,
                            widest.policy.size(), w.action, widest.action.size(), w.why);
    }
    return text;
}

std::string heading(const PolicyRun& run)
{
    const auto total = totals(run);
    return fmt::format("{}: {} on {} of {}", run.label, count_text(total.storms, "storm"), total.stormed_queues,
                       count_text(total.watched_queues, "watched queue"));
}

}  // namespace

std::string replay_text(const ReplayReport& report, const Paint& paint, std::size_t width)
{
    std::string text;
    if (report.runs.size() > 1) {
        text += comparison(report, width) + "\n";
    }
    for (const auto& run : report.runs) {
        text += fmt::format("{}{}\n{}", &run == &report.runs.front() ? "" : "\n", paint.bold(heading(run)),
                            event_lines(run, paint));
    }
    return text;
}

}  // namespace petrel::reports
