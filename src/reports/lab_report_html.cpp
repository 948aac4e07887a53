#include "reports/lab_report_html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/html_text.hpp"
#include "reports/lab_judgement.hpp"
#include "reports/lab_report_facts.hpp"
#include "reports/lab_report_style.hpp"
#include "reports/lab_report_svg.hpp"
#include "reports/page_style.hpp"
#include "reports/scenario_text.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using scenario::Verdict;

// Drawn at once; the rest is behind a link to click on.
constexpr std::size_t kQueuesShown = 8;
constexpr std::size_t kLinksShown = 40;
constexpr int kExact = 12;  // digits: windows may be narrow

constexpr auto kGlossary =
    R"(<details class=glossary><summary>New to lossless Ethernet? The terms of this page</summary><dl>
<dt>lossless</dt><dd>Some traffic must not lose a single frame. Instead of throwing frames away when a buffer fills up, a
switch sends its neighbour a request to wait.</dd>
<dt>PFC, pause</dt><dd>Priority Flow Control: a small frame that means “stop sending this priority to me for a moment”. The
sender waits until the time is over or an XON frame arrives. There are eight priorities; each has its own queue.</dd>
<dt>queue</dt><dd>Where frames of one priority wait to leave one port of a switch. While it is paused it can only grow. When
it is full, the switch pauses those who send to it: pauses travel backwards, from the receiver towards the senders.</dd>
<dt>storm</dt><dd>Pause that does not end, mostly because one receiver is broken. The queues in front of it fill, then those
behind them, until hosts that have nothing to do with it may not send any more.</dd>
<dt>watchdog</dt><dd>A program on a switch (or in a NIC) that notices a pause without end and gives up on that one queue, so
that everybody else can go on. Frames for the broken receiver are lost; that is the price.</dd>
<dt>T0, T1, T2</dt><dd>The watchdog's times: T0, how long a pause must last to count as a storm; T1, how long it must have
been quiet before the queue is trusted again; T2, how often the watchdog looks.</dd>
<dt>NIC, host, tier</dt><dd>A host is a server, its NIC the network card. Tier 1 are the switches that hosts are connected to,
tier 2 and 3 those above.</dd>
</dl></details>
)";

constexpr auto kQueueLegend = R"(<p class=legend><span><i class="swatch paused"></i>paused</span>
<span><i class="swatch waiting"></i>bytes waiting</span><span><i class="swatch watching"></i>watching</span>
<span><i class="swatch mitigated"></i>mitigated</span><span><i class="swatch alerted"></i>alerted</span>
<span><i class="swatch latched"></i>latched</span><span>▼ a storm is found</span><span>▲ a storm is over</span>
<span>◆ other events</span><span><i class="swatch fault"></i>a fault or repair</span></p>
)";

constexpr auto kHeatLegend = R"(<p class=legend><span><span class=scale><i class=h1></i><i class=h3></i><i class=h5></i>
<i class=h7></i><i class=h8></i></span>paused a little … all the time</span><span><i class="swatch fault"></i>a fault or repair</span></p>
)";

std::string page_of(std::string_view title, const std::string& body)
{
    return fmt::format("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                       "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                       "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
                       html(title), kPageStyle, kLabReportStyle, body);
}

std::string_view state_of(const lab::Outcome& outcome)
{
    const auto& all = outcome.judgements;
    const bool met = std::all_of(all.begin(), all.end(), [](const auto& one) { return one.verdict == Verdict::met; });
    return outcome.failed() ? "bad" : (met && !all.empty() ? "good" : "open");
}

std::string badge(const lab::Outcome& outcome)
{
    return fmt::format("<span class=\"state {}\">{}</span>", state_of(outcome), html(judgement_text(outcome)));
}

std::string tile(std::string_view number, std::string_view what)
{
    return fmt::format("<div class=tile><b>{}</b><span>{}</span></div>\n", html(number), html(what));
}

std::string latency_text(const ReportedRun& run)
{
    const auto latency = detection_latency(run);
    return latency ? ms_text(*latency) : "–";
}

// Of the hosts: at the worst, or at the end.
std::string standing_text(const ReportedRun& run, std::uint32_t Standstill::* when)
{
    for (const auto& tier : standstills(run.recording)) {
        if (tier.tier == 0) {
            return fmt::format("{} of {}", tier.*when, tier.nodes);
        }
    }
    return "–";
}

std::string tiles(const ReportedRun& run)
{
    const auto& sum = run.outcome.summary;
    std::uint64_t frames = 0;
    for (const auto& tier : sum.tiers) {
        frames += tier.pause_frames;
    }
    return "<div class=tiles>\n" +
           tile(standing_text(run, &Standstill::most), "hosts stood still at the same time, at the worst") +
           tile(latency_text(run), "from the fault to the first event of a watchdog") +
           tile(fmt::format("{}", sum.totals.drops.total()), "frames lost") +
           tile(fmt::format("{}", frames), "pause frames received, by switches and hosts") + "</div>\n";
}

std::string setup_row(std::string_view what, const std::string& text)
{
    return fmt::format("<dt>{}</dt><dd>{}</dd>\n", html(what), html(text));
}

std::string setup(const ReportedRun& run)
{
    const auto& scenario = *run.scenario;
    std::string rows = setup_row("fabric", fabric_text(scenario.setup.topology));
    for (const auto& line : traffic_text(scenario)) {
        rows += setup_row("traffic", line);
    }
    for (const auto& line : watch_text(scenario)) {
        rows += setup_row("watchdog", line);
    }
    if (scenario.watches.empty()) {
        rows += setup_row("watchdog", "none");
    }
    for (const auto& [name, value] : run.settings) {
        rows += setup_row("parameter", fmt::format("{} = {}", name, value));
    }
    for (const auto& [at, what] : fault_timeline(scenario)) {
        rows += setup_row("at " + time_text(at), what);
    }
    return "<h2>The setup</h2>\n<div class=card><dl class=setup>\n" + rows + "</dl></div>\n";
}

std::string when_text(const Sentence& sentence)
{
    return sentence.at ? fmt::format("{}{}", sentence.exact ? "" : "by ", time_text(*sentence.at)) : "in all";
}

std::string happened(const ReportedRun& run)
{
    std::string items;
    for (const auto& sentence : story(run)) {
        items += fmt::format("<li><time>{}</time><span>{}</span></li>\n", when_text(sentence), html(sentence.text));
    }
    return "<h2>What happened</h2>\n<p class=lead>Pauses and standstill are measured " +
           fmt::format("{} times in the run; “by” a time means: in the interval that ended then.</p>\n",
                       run.recording.times.size()) +
           "<div class=card><ol class=story>\n" + items + "</ol></div>\n";
}

std::string_view verdict_cell(Verdict verdict)
{
    switch (verdict) {
    case Verdict::met: return "<td class=met>✓ met</td>";
    case Verdict::failed: return "<td class=failed>✗ failed</td>";
    case Verdict::not_reached: return "<td class=none>not reached</td>";
    }
    return {};
}

std::string expectations(const ReportedRun& run)
{
    if (run.outcome.judgements.empty()) {
        return {};
    }
    std::string rows;
    for (const auto& [verdict, wanted, found] : run.outcome.judgements) {
        rows += fmt::format(
            "<tr>{}<td class=words>{}</td><td>{}</td><td>{}</td><td>{} … {}</td><td class=number>{}</td>"
            "</tr>\n",
            verdict_cell(verdict), html(wanted.subject), html(wanted.wanted), found.empty() ? "–" : html(found),
            time_text(wanted.from, kExact), time_text(wanted.until, kExact), html(line_text(wanted)));
    }
    return "<h2>What was expected</h2>\n<div class=\"card scroll\"><table>\n<thead><tr><th></th><th>what</th>"
           "<th>wanted</th><th>found</th><th>window</th><th class=number>line in the "
           "file</th></tr></thead>\n<tbody>\n" +
           rows + "</tbody></table></div>\n";
}

std::string plot(const std::string& svg) { return "<div class=plot>" + svg + "</div>\n"; }

std::string spread(const ReportedRun& run)
{
    return "<h2>How far it reached</h2>\n<p class=lead>Share of each tier's nodes, hosts at the foot. A node is held "
           "up "
           "while one of its queues is paused all the time; it stands still when it has something to send and can send "
           "nothing at all.</p>\n<p class=legend><span><i class=\"swatch held\"></i>held up</span><span><i "
           "class=\"swatch "
           "paused\"></i>standing still</span><span><i class=\"swatch fault\"></i>a fault or repair</span></p>\n"
           "<div class=card>" +
           plot(standstill_svg(run)) + "</div>\n";
}

std::string traffic(const ReportedRun& run)
{
    std::string plots;
    for (const auto& item : run.recording.traffic) {
        plots += plot(throughput_svg(run, item));
    }
    if (plots.empty()) {
        return {};
    }
    return "<h2>Throughput</h2>\n<p class=legend><span><i class=\"swatch delivered\"></i>delivered</span><span>"
           "<i class=\"swatch line\"></i>sent for the first time</span><span><i class=\"swatch fault\"></i>a fault or "
           "repair</span></p>\n<div class=card>" +
           plots + "</div>\n";
}

std::string losses(const ReportedRun& run)
{
    const auto& drops = run.outcome.summary.totals.drops;
    if (drops.total() == 0) {
        return "<h2>Losses</h2>\n<p class=lead>None.</p>\n";
    }
    std::string rows;
    for (std::size_t i = 0; i < twin::kDrops; ++i) {
        const auto cause = static_cast<twin::Drop>(i);
        if (drops[cause] != 0) {
            rows += fmt::format("<tr><td><code>{}</code></td><td class=number>{}</td><td><span class=bar "
                                "style=\"width:{:.0f}px\"></span></td><td class=words>{}</td></tr>\n",
                                name(cause), drops[cause],
                                160.0 * static_cast<double>(drops[cause]) / static_cast<double>(drops.total()),
                                html(loss_text(cause)));
        }
    }
    return "<h2>Losses</h2>\n<div class=card>" + plot(losses_svg(run)) +
           "</div>\n<div class=\"card scroll\"><table>\n<thead><tr><th>cause</th><th class=number>frames</th><th></th>"
           "<th>which means</th></tr></thead>\n<tbody>\n" +
           rows + "</tbody></table></div>\n";
}

std::string more(std::string_view what, const std::string& inside)
{
    return fmt::format("<details class=more><summary>{}</summary>\n{}</details>\n", html(what), inside);
}

std::string left_out(std::size_t count, std::string_view thing)
{
    return count == 0
               ? std::string{}
               : fmt::format("<p class=lead>{} that were paused less are left out.</p>\n", count_text(count, thing));
}

std::string links(const ReportedRun& run)
{
    const std::span all{run.recording.links};
    if (all.empty()) {
        return "<h2>Links</h2>\n<p class=lead>No link was ever paused.</p>\n";
    }
    const auto shown = std::min(all.size(), kLinksShown);
    auto text = std::string{"<h2>Links, by how long they were paused</h2>\n<p class=lead>A row is one direction of a "
                            "link: “a → b” is dark while a might not send to b.</p>\n"} +
                kHeatLegend + "<div class=card>" + plot(heat_map_svg(run, all.first(shown))) + "</div>\n";
    if (shown < all.size()) {
        text += more(fmt::format("{} more", count_text(all.size() - shown, "direction")),
                     plot(heat_map_svg(run, all.subspan(shown))));
    }
    return text + left_out(run.recording.links_left_out, "direction");
}

std::string events_list(const ReportedRun& run, const lab::QueueTrack& queue)
{
    const auto events = events_of(run, queue);
    if (events.empty()) {
        return {};
    }
    std::string text;
    std::size_t number = 0;
    for (const auto& reported : run.outcome.events) {
        if (std::find(events.begin(), events.end(), &reported.event) == events.end()) {
            continue;
        }
        const auto kind = reported.event.kind;
        const bool begins = begins_storm(kind);
        text +=
            fmt::format("<div><code>{}</code> {} <code>{} s</code> <span class={}>{}</span>, {} <span class=why>{}: "
                        "{}</span></div>\n",
                        ++number, begins ? "▼" : (ends_storm(kind) ? "▲" : "◆"), seconds_text(reported.event.at),
                        begins ? "begins" : (ends_storm(kind) ? "ends" : "other"), name(kind),
                        watchdog::action_name(reported.event.action), name(reported.event.reason),
                        html(reason_text(run, reported)));
    }
    return "<div class=events>\n" + text + "</div>\n";
}

std::string queue_card(const ReportedRun& run, const lab::QueueTrack& queue)
{
    twin::Ps paused = 0;
    for (const auto one : queue.paused) {
        paused += one;
    }
    return fmt::format("<section class=card><div class=title><h3>{}, priority {}</h3><span class=badge>paused for {}"
                       "</span></div>\n{}{}</section>\n",
                       html(port_text(queue.port, run.scenario->setup.topology)), queue.priority, time_text(paused, 3),
                       plot(queue_svg(run, queue)), events_list(run, queue));
}

std::string queues(const ReportedRun& run)
{
    const std::span all{run.recording.queues};
    if (all.empty()) {
        return "<h2>Queues</h2>\n<p class=lead>No queue was ever paused.</p>\n";
    }
    const auto shown = std::min(all.size(), kQueuesShown);
    std::string text =
        std::string{
            "<h2>Queues</h2>\n<p class=lead>First those with events of a watchdog, then the most paused.</p>\n"} +
        kQueueLegend;
    for (const auto& queue : all.first(shown)) {
        text += queue_card(run, queue);
    }
    std::string rest;
    for (const auto& queue : all.subspan(shown)) {
        rest += queue_card(run, queue);
    }
    if (!rest.empty()) {
        text += more(fmt::format("{} more", count_text(all.size() - shown, "queue")), rest);
    }
    return text + left_out(run.recording.queues_left_out, "queue");
}

std::string again(const ReportedRun& run)
{
    const auto& sum = run.outcome.summary;
    return fmt::format(
        "<h2>Run it again</h2>\n<div class=card><pre>{}</pre>\n<p class=legend><span>file {}</span><span>"
        "seed {}</span><span>petrel {}</span><span>simulated {}</span><span>digest {:016x}</span></p></div>\n",
        html(run.command), html(run.file), sum.seed, PETREL_VERSION, time_text(sum.simulated), sum.totals.digest);
}

std::string run_name(const ReportedRun& run)
{
    std::string name = run.scenario->name;
    for (const auto& [key, value] : run.settings) {
        name += fmt::format(" {}={}", key, value);
    }
    return name;
}

std::string latencies(std::span<const ReportedRun> runs)
{
    Latencies rows;
    for (const auto& run : runs) {
        const auto latency = detection_latency(run);
        if (!latency) {
            continue;
        }
        const auto label = run_name(run);
        auto at = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.first == label; });
        if (at == rows.end()) {
            at = rows.insert(at, {label, {}});
        }
        at->second.push_back(*latency);
    }
    if (rows.empty()) {
        return {};
    }
    std::string table;
    for (auto& [label, all] : rows) {
        std::sort(all.begin(), all.end());
        table += fmt::format("<tr><td>{}</td><td class=number>{}</td><td class=number>{}</td><td class=number>{}</td>"
                             "<td class=number>{}</td></tr>\n",
                             html(label), all.size(), ms_text(all.front()), ms_text(all[all.size() / 2]),
                             ms_text(all.back()));
    }
    return "<h2>How long detection took</h2>\n<p class=lead>From the fault to the first event of a watchdog; a dot is "
           "a run.</p>\n<div class=card>" +
           plot(latency_svg(rows)) +
           "</div>\n<div class=\"card scroll\"><table>\n<thead><tr><th>scenario</th><th class=number>runs</th>"
           "<th class=number>fastest</th><th class=number>median</th><th "
           "class=number>slowest</th></tr></thead>\n<tbody>\n" +
           table + "</tbody></table></div>\n";
}

std::string comparison_table(const Comparison& comparison)
{
    if (comparison.rows.empty()) {
        return {};
    }
    const auto line = [](std::string_view cell, const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            text += fmt::format("<{0}{1}>{2}</{0}>", cell, i == 0 ? "" : " class=number", html(cells[i]));
        }
        return fmt::format("<tr>{}</tr>\n", text);
    };
    std::string rows;
    for (const auto& row : comparison.rows) {
        rows += line("td", row);
    }
    return fmt::format("<h2>Side by side</h2>\n<div class=\"card scroll\"><table>\n<thead>{}</thead>\n<tbody>\n{}"
                       "</tbody></table></div>\n",
                       line("th", comparison.titles), rows);
}

}  // namespace

std::string run_page(const ReportedRun& run)
{
    auto body = fmt::format("<header><h1>{}</h1>\n<p class=lead>{}</p>\n{}</header>\n", html(run_name(run)),
                            html(run.scenario->about), badge(run.outcome));
    body += tiles(run) + kGlossary + setup(run) + happened(run) + expectations(run) + spread(run) + traffic(run) +
            losses(run) + links(run) + queues(run) + again(run);
    return page_of(run_name(run), body);
}

std::string run_page_name(std::size_t index) { return fmt::format("run-{:03}.html", index + 1); }

std::string index_page(std::span<const ReportedRun> runs, const Comparison& comparison)
{
    const auto failed =
        std::count_if(runs.begin(), runs.end(), [](const ReportedRun& run) { return run.outcome.failed(); });
    std::string rows;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& run = runs[i];
        rows += fmt::format("<tr><td><a href=\"{}\">{}</a></td><td>{}</td><td class=number>{}</td>"
                            "<td class=number>{}</td><td class=number>{}</td><td class=number>{}</td>"
                            "<td class=number>{}</td><td class=number>{}</td></tr>\n",
                            run_page_name(i), html(run_name(run)), badge(run.outcome), run.outcome.summary.seed,
                            latency_text(run), standing_text(run, &Standstill::most),
                            standing_text(run, &Standstill::at_end), run.outcome.summary.totals.delivered,
                            run.outcome.summary.totals.drops.total());
    }
    auto body =
        fmt::format("<header><h1>{}</h1>\n<p class=lead>petrel {}</p>\n<span class=\"state {}\">{}</span></header>\n",
                    count_text(runs.size(), "run"), PETREL_VERSION, failed == 0 ? "good" : "bad",
                    failed == 0 ? std::string{"none failed"} : fmt::format("{} failed", failed));
    body += comparison_table(comparison) +
            "<h2>Runs</h2>\n<div class=\"card scroll\"><table>\n<thead><tr><th>run</th><th>expectations</th>"
            "<th class=number>seed</th><th class=number>detected after</th><th class=number>hosts standing still, at "
            "worst</th>"
            "<th class=number>at the end</th><th class=number>frames delivered</th>"
            "<th class=number>frames lost</th></tr></thead>\n<tbody>\n" +
            rows + "</tbody></table></div>\n" + latencies(runs) + kGlossary;
    return page_of("Petrel lab: " + count_text(runs.size(), "run"), body);
}

}  // namespace petrel::reports
