#include "reports/replay_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "reports/html_text.hpp"
#include "reports/page_style.hpp"
#include "reports/pause_signal.hpp"
#include "reports/timeline_svg.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

// Limits for a readable page; the rest is only counted. Queues with events come first and have a higher limit.
constexpr std::size_t kMostWithEvents = 200;
constexpr std::size_t kMostSuspicious = 20;
constexpr double kSuspiciousShare = 0.5;
constexpr int kSuspiciousPart = 4;  // a pause of a quarter of T0 is suspicious

using Signals = std::vector<std::vector<std::vector<PauseInterval>>>;  // [device][slot]

std::string anchor(QueueRef queue) { return fmt::format("q{}-{}", queue.device, queue.slot.value); }

std::string number_cell(const std::string& text)
{
    return text.empty() ? "<td class=\"number none\">–</td>" : fmt::format("<td class=number>{}</td>", text);
}

std::string run_table(const ReplayReport& report)
{
    std::string rows;
    for (const auto& run : report.runs) {
        const auto total = totals(run);
        Duration in_storm{};
        Duration longest_pause{};
        for (const auto& replayed : run.devices) {
            for (const auto& stats : replayed.stats) {
                in_storm += stats.in_storm;
                longest_pause = std::max(longest_pause, stats.longest_pause);
            }
        }
        rows += fmt::format("<tr><td>{}</td><td class=\"number{}\">{}</td><td class=number>{} of {}</td>"
                            "<td class=number>{}</td><td class=number>{}</td></tr>\n",
                            html(run.label), total.storms == 0 ? "" : " storms", total.storms, total.stormed_queues,
                            total.watched_queues, seconds_text(in_storm), ms_text(longest_pause));
    }
    return "<div class=\"card scroll\"><table>\n<thead><tr><th>policy</th><th class=number>storms</th>"
           "<th class=number>queues stormed</th><th class=number>time in storm, all queues</th>"
           "<th class=number>longest proven pause</th></tr></thead>\n<tbody>\n" +
           rows + "</tbody></table></div>\n";
}

std::string comparison_table(const ReplayReport& report, const std::vector<QueueRef>& queues)
{
    std::string groups;
    std::string titles;
    for (const auto& run : report.runs) {
        groups += fmt::format("<th class=group colspan=4 scope=colgroup>{}</th>", html(run.label));
        titles += "<th class=\"number first\">storms</th><th class=number>detected</th>"
                  "<th class=number>restored</th><th class=number>in storm</th>";
    }
    auto table = fmt::format(
        "<div class=\"card scroll\"><table>\n<thead><tr><th rowspan=2>queue</th>{}</tr><tr>{}</tr></thead>\n"
        "<tbody>\n",
        groups, titles);
    for (const auto queue : std::span{queues}.first(std::min(queues.size(), kMostWithEvents))) {
        table += fmt::format("<tr><td><a href=\"#{}\">{}</a></td>", anchor(queue), html(queue_text(report, queue)));
        for (const auto& run : report.runs) {
            const auto result = result_of(run, queue);
            table += fmt::format("<td class=\"number first{}\">{}</td>", result.storms == 0 ? " none" : " storms",
                                 result.storms);
            table += number_cell(result.detected ? seconds_text(*result.detected) : "");
            table += number_cell(restored_text(result));
            table += number_cell(result.storms == 0 ? "" : seconds_text(result.in_storm));
        }
        table += "</tr>\n";
    }
    return table + "</tbody></table></div>\n";
}

std::string event_details(std::size_t number, const watchdog::Event& event, const watchdog::Watchlist& watchlist)
{
    const bool begins = begins_storm(event.kind);
    const bool ends = ends_storm(event.kind);
    auto text =
        fmt::format("<details><summary><code>{}</code> {} <code>{} s</code> <span class={}>{}</span>, {} "
                    "<span class=why>{}: {}</span></summary>\n",
                    number, begins ? "▼" : (ends ? "▲" : "◆"), seconds_text(event.at),
                    begins ? "begins" : (ends ? "ends" : "other"), name(event.kind),
                    watchdog::action_name(event.action), name(event.reason), html(evidence_text(event, watchlist)));
    const auto& evidence = event.evidence;
    text += fmt::format("<ul><li>rule: {}; event {}{}</li>\n", name(evidence.rule.criterion), event.seq,
                        event.cause == 0 ? "" : fmt::format(", follows from event {}", event.cause));
    for (std::size_t i = 0; i < std::min<std::size_t>(evidence.looks, evidence.last.size()); ++i) {
        text += fmt::format("<li>look of {}</li>\n", interval_text(evidence.last[i]));
    }
    return text + "</ul></details>\n";
}

std::string queue_card(const ReplayReport& report, QueueRef queue, const std::vector<PauseInterval>& signal,
                       const Period& whole)
{
    auto card =
        fmt::format("<section class=card id={}><div class=title><h3>{}</h3><span class=badge>paused {:.1f} % of the "
                    "time</span></div>\n<div class=plot>{}</div>\n",
                    anchor(queue), html(queue_text(report, queue)), 100 * mean_share(signal),
                    timeline_svg(report, queue, signal, whole));
    for (const auto& run : report.runs) {
        const auto events = events_of(run, queue);
        if (events.empty()) {
            continue;
        }
        card += fmt::format("<div class=events><h4>{}: {}</h4>\n", html(run.label), count_text(events.size(), "event"));
        std::size_t number = 0;
        for (const auto& [device, event] : events) {
            card += event_details(++number, *event, run.devices[device].watchlist);
        }
        card += "</div>\n";
    }
    return card + "</section>\n";
}

bool suspicious(const ReplayReport& report, QueueRef queue, const Signals& signals)
{
    if (mean_share(signals[queue.device][queue.slot.value]) >= kSuspiciousShare) {
        return true;
    }
    return std::any_of(report.runs.begin(), report.runs.end(), [&](const PolicyRun& run) {
        const auto& replayed = run.devices[queue.device];
        const auto policy = replayed.watchlist.rows[queue.slot.value].policy;
        const auto longest = replayed.stats[queue.slot.value].longest_pause;
        return policy != watchdog::kUnwatched && longest > Duration::zero() &&
               longest * kSuspiciousPart >= replayed.watchlist.policies[policy].detect;
    });
}

// Queues without events, the most paused first.
std::vector<QueueRef> suspicious_queues(const ReplayReport& report, const std::vector<QueueRef>& with_events,
                                        const Signals& signals)
{
    const std::set<QueueRef> shown(with_events.begin(), with_events.end());
    std::vector<QueueRef> queues;
    for (std::size_t device = 0; device < report.trace.devices.size(); ++device) {
        for (std::uint32_t row = 0; row < report.trace.devices[device].inventory.rows.size(); ++row) {
            const QueueRef queue{device, Slot{row}};
            if (!shown.contains(queue) && suspicious(report, queue, signals)) {
                queues.push_back(queue);
            }
        }
    }
    const auto most_paused_first = [&](QueueRef q) {
        return std::tuple{-mean_share(signals[q.device][q.slot.value]), q.device, q.slot.value};
    };
    std::sort(queues.begin(), queues.end(),
              [&](QueueRef a, QueueRef b) { return most_paused_first(a) < most_paused_first(b); });
    return queues;
}

std::string cards(const ReplayReport& report, const std::vector<QueueRef>& queues, std::size_t most,
                  const Signals& signals, const Period& whole)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(queues.size(), most); ++i) {
        text += queue_card(report, queues[i], signals[queues[i].device][queues[i].slot.value], whole);
    }
    if (queues.size() > most) {
        text += fmt::format("<p class=lead>and {} more</p>\n", count_text(queues.size() - most, "queue"));
    }
    return text;
}

std::string notes(const ReplayReport& report)
{
    std::set<std::string> all;
    for (const auto& run : report.runs) {
        for (const auto& replayed : run.devices) {
            all.insert(replayed.watchlist.notes.begin(), replayed.watchlist.notes.end());
        }
    }
    std::string text;
    for (const auto& note : all) {
        text += fmt::format("<li>{}</li>\n", html(note));
    }
    return text.empty() ? text : "<h2>Notes</h2>\n<ul>\n" + text + "</ul>\n";
}

std::size_t row_count(const device::Trace& trace)
{
    std::size_t rows = 0;
    for (const auto& device : trace.devices) {
        rows += device.inventory.rows.size();
    }
    return rows;
}

constexpr auto kLegend = R"(<p class=legend><span><i class="swatch watching"></i>watching</span>
<span><i class="swatch mitigated"></i>mitigating, mitigated</span><span><i class="swatch alerted"></i>alerted, probing, restoring</span>
<span><i class="swatch latched"></i>latched</span><span>▼ a storm is found</span><span>▲ a storm is over</span><span>◆ other events</span></p>
)";

std::string header(const ReplayReport& report, const Period& whole, std::size_t with_events)
{
    return fmt::format(
        "<header><h1>{}</h1>\n<p class=lead>Replayed by Petrel: {} of {}, {}, {}</p>\n"
        "<p class=verdict>{}</p></header>\n",
        html(report.trace_name), seconds_text(whole.to - whole.from), count_text(report.trace.devices.size(), "device"),
        count_text(row_count(report.trace), "queue"),
        report.runs.size() == 1 ? "one policy" : fmt::format("{} policies side by side", report.runs.size()),
        any_storm(report) ? fmt::format("{} had storms or other events.", count_text(with_events, "queue"))
                          : "No policy saw a storm.");
}

}  // namespace

std::string replay_html(const ReplayReport& report)
{
    Signals signals;
    for (const auto& device : report.trace.devices) {
        signals.push_back(pause_signal(device));
    }
    const auto whole = period(report.trace);
    const auto with_events = queues_with_events(report);
    const auto suspects = suspicious_queues(report, with_events, signals);
    const auto quiet = row_count(report.trace) - with_events.size() - suspects.size();

    auto page = fmt::format("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                            "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                            "<title>Replay of {}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
                            html(report.trace_name), kPageStyle);
    page += header(report, whole, with_events.size()) + run_table(report);
    if (!with_events.empty()) {
        page += "<h2>Side by side</h2>\n<p class=lead>Times in seconds, as in the trace: the first detection, the last "
                "restoration.</p>\n" +
                comparison_table(report, with_events);
        page += std::string{"<h2>Queues with events</h2>\n"} + kLegend +
                cards(report, with_events, kMostWithEvents, signals, whole);
    }
    if (!suspects.empty()) {
        page += "<h2>Paused a lot, but no storm</h2>\n" + cards(report, suspects, kMostSuspicious, signals, whole);
    }
    page += fmt::format("<p class=lead>{} without anything to show.</p>\n", count_text(quiet, "further queue"));
    return page + notes(report) + "</main>\n</body>\n</html>\n";
}

}  // namespace petrel::reports
