#include "reports/lab_report_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "reports/scenario_text.hpp"
#include "topology/tiers.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using lab::ReportedEvent;
using scenario::Verdict;
using twin::Ps;
using watchdog::EventKind;
using watchdog::Phase;

constexpr std::size_t kMostListed = 6;  // of the same kind; the others are only counted

bool finds_storm(EventKind kind)
{
    return kind == EventKind::storm_detected || kind == EventKind::pause_too_long || kind == EventKind::nic_latched;
}

bool starts_storm(const scenario::Fault& fault)
{
    return std::holds_alternative<scenario::StartStorm>(fault.what) ||
           std::holds_alternative<scenario::StopPipeline>(fault.what);
}

// None: the event does not change the phase.
std::optional<Phase> phase_after(const watchdog::Event& event)
{
    switch (event.kind) {
    case EventKind::storm_detected:
    case EventKind::pause_too_long:
    case EventKind::probe_failed:
    case EventKind::restore_failed:
        return event.action == watchdog::Treatment::none ? Phase::alerted : Phase::mitigated;
    case EventKind::storm_alert:
    case EventKind::storm_escalated:
    case EventKind::mitigation_failed: return Phase::alerted;
    case EventKind::storm_latched:
    case EventKind::nic_latched: return Phase::latched;
    case EventKind::storm_restored:
    case EventKind::storm_released:
    case EventKind::pause_too_long_cleared: return Phase::watching;
    case EventKind::order_taken:
    case EventKind::link_down:
    case EventKind::link_up:
    case EventKind::close_switch_port:
    case EventKind::count_: break;
    }
    return std::nullopt;
}

class Story {
public:
    explicit Story(const ReportedRun& run) : run_(run), topology_(run.scenario->setup.topology) {}

    std::vector<Sentence> sentences()
    {
        faults();
        first_pause();
        standing();
        events();
        losses();
        ending();
        // Order at equal times: causes before effects.
        std::sort(order_.begin(), order_.end());
        std::vector<Sentence> all;
        for (const auto& [at, number] : order_) {
            all.push_back(std::move(timed_[number]));
        }
        std::move(overall_.begin(), overall_.end(), std::back_inserter(all));
        return all;
    }

private:
    void add(Ps at, bool exact, std::string text)
    {
        order_.emplace_back(at, timed_.size());
        timed_.push_back({at, exact, std::move(text)});
    }
    void happened(Ps at, std::string text) { add(at, true, std::move(text)); }
    void measured(Ps at, std::string text) { add(at, false, std::move(text)); }
    void in_all(std::string text) { overall_.push_back({std::nullopt, true, std::move(text)}); }

    void faults()
    {
        const auto faults = fault_timeline(*run_.scenario);
        const auto simulated = run_.outcome.summary.simulated;
        const auto reached = static_cast<std::size_t>(
            std::count_if(faults.begin(), faults.end(), [&](const TimedText& fault) { return fault.at <= simulated; }));
        for (std::size_t i = 0; i < std::min(reached, 2 * kMostListed); ++i) {
            happened(faults[i].at, faults[i].what + '.');
        }
        if (reached > 2 * kMostListed) {
            happened(faults[2 * kMostListed].at,
                     fmt::format("{} more follow.", count_text(reached - 2 * kMostListed, "fault")));
        }
    }

    void first_pause()
    {
        const auto& times = run_.recording.times;
        const lab::LinkTrack* first = nullptr;
        std::size_t when = times.size();
        for (const auto& link : run_.recording.links) {
            const auto at = std::find_if(link.paused.begin(), link.paused.end(), [](Ps p) { return p > 0; });
            const auto index = static_cast<std::size_t>(at - link.paused.begin());
            if (index < when) {
                when = index;
                first = &link;
            }
        }
        if (first == nullptr) {
            return in_all("No port was ever paused.");
        }
        measured(times[when],
                 fmt::format(
                     "The first pause: {} pauses {}. That alone is normal; it is how a lossless fabric avoids losses.",
                     port_text(first->to, topology_), port_text(first->from, topology_)));
    }

    void standing()
    {
        bool any = false;
        for (const auto& tier : standstills(run_.recording)) {
            if (tier.most_held == 0) {
                continue;
            }
            any = true;
            measured(tier.first_seen,
                     fmt::format("The pause holds up {}: {} of {} at the worst (by {}). {} {}.",
                                 tier_text(topology_, tier.tier), tier.most_held, tier.nodes,
                                 time_text(tier.worst_seen), standing_text(tier),
                                 tier.last_seen == run_.recording.times.back()
                                     ? "Some are held up when the run ends"
                                     : fmt::format("None is held up after {}", time_text(tier.last_seen))));
        }
        if (!any) {
            in_all("No host and no switch was held up for long.");
        }
    }

    static std::string standing_text(const Standstill& tier)
    {
        return tier.most == 0 ? "All of them can still send something."
                              : fmt::format("As many as {} at once can send nothing at all.", tier.most);
    }

    void events()
    {
        std::map<EventKind, std::size_t> reported;
        std::map<EventKind, std::size_t> all;
        for (const auto& event : run_.outcome.events) {
            ++all[event.event.kind];
        }
        for (const auto& event : run_.outcome.events) {
            const auto kind = event.event.kind;
            const auto number = ++reported[kind];
            if (number <= kMostListed) {
                happened(twin::from_instant(event.event.at), sentence_about(event));
            } else if (number == kMostListed + 1) {
                happened(twin::from_instant(event.event.at),
                         fmt::format("{} more events {} follow.", all[kind] - kMostListed, name(kind)));
            }
        }
        if (run_.scenario->watches.empty()) {
            in_all("No watchdog ran.");
        } else if (run_.outcome.events.empty()) {
            in_all("The watchdogs detected no storm.");
        }
    }

    std::string sentence_about(const ReportedEvent& reported) const
    {
        const auto& event = reported.event;
        const auto why = reason_text(run_, reported);
        const auto who = fmt::format("{}'s watchdog", reported.device);
        if (begins_storm(event.kind)) {
            return fmt::format("{} calls {} a storm: {}. It is {}.", who, reported.where, why,
                               action_text(event.action));
        }
        if (ends_storm(event.kind)) {
            return fmt::format("{} ends the storm on {} ({}) and restores the queue.", who, reported.where, why);
        }
        return fmt::format("{}: {} on {} ({}).", who, name(event.kind), reported.where, why);
    }

    void losses()
    {
        const auto& drops = run_.outcome.summary.totals.drops;
        if (drops.total() == 0) {
            return in_all("Not one frame was lost.");
        }
        std::vector<std::string> causes;
        for (std::size_t i = 0; i < twin::kDrops; ++i) {
            const auto cause = static_cast<twin::Drop>(i);
            if (drops[cause] != 0) {
                causes.push_back(fmt::format("{} {} ({})", drops[cause], name(cause), loss_text(cause)));
            }
        }
        in_all(fmt::format("{} lost: {}.",
                           drops.total() == 1 ? "One frame was" : fmt::format("{} frames were", drops.total()),
                           fmt::join(causes, "; ")));
    }

    void ending()
    {
        const auto& sum = run_.outcome.summary;
        const auto paused = std::accumulate(sum.tiers.begin(), sum.tiers.end(), std::uint64_t{0},
                                            [](auto n, const auto& tier) { return n + tier.paused_now; });
        in_all(paused == 0 ? fmt::format("At the end no port is paused and {} under way.", frames(sum.totals.in_flight))
                           : fmt::format("At the end {} still paused and {} under way.",
                                         paused == 1 ? "one queue is" : fmt::format("{} queues are", paused),
                                         frames(sum.totals.in_flight)));
    }

    static std::string frames(std::uint64_t count)
    {
        return count == 1 ? "one frame is" : fmt::format("{} frames are", count);
    }

    const ReportedRun& run_;
    const topology::Topology& topology_;
    std::vector<Sentence> timed_;                    // with a time
    std::vector<std::pair<Ps, std::size_t>> order_;  // time and index of each in timed_
    std::vector<Sentence> overall_;
};

}  // namespace

std::optional<Duration> detection_latency(const ReportedRun& run)
{
    const auto& events = run.outcome.events;
    const auto found =
        std::find_if(events.begin(), events.end(), [](const ReportedEvent& e) { return finds_storm(e.event.kind); });
    if (found == events.end()) {
        return std::nullopt;
    }
    std::optional<Duration> latency;
    for (const auto& fault : run.scenario->faults) {
        const auto since = found->event.at - twin::to_instant(fault.at);
        if (starts_storm(fault) && since >= Duration::zero()) {
            latency = std::min(latency.value_or(since), since);
        }
    }
    return latency;
}

std::vector<Standstill> standstills(const lab::RecordedRun& recording)
{
    std::vector<Standstill> all;
    for (const auto& tier : recording.tiers) {
        Standstill one{tier.tier, tier.nodes, 0, 0, tier.standing.empty() ? 0 : tier.standing.back(), 0, 0, 0};
        for (std::size_t i = 0; i < tier.held.size(); ++i) {
            const auto at = recording.times[i];
            if (tier.held[i] == 0) {
                continue;
            }
            one.first_seen = one.most_held == 0 ? at : one.first_seen;
            one.worst_seen = tier.held[i] > one.most_held ? at : one.worst_seen;
            one.most_held = std::max(one.most_held, tier.held[i]);
            one.most = std::max(one.most, tier.standing[i]);
            one.last_seen = at;
        }
        all.push_back(one);
    }
    return all;
}

std::string tier_text(const topology::Topology& topology, std::uint8_t tier)
{
    return topology::tier_name(topology, tier) + (tier == 0 ? "" : " switches");
}

std::string_view loss_text(twin::Drop cause)
{
    using twin::Drop;
    switch (cause) {
    case Drop::headroom: return "a lossless frame found no room, not even in the reserve for frames under way";
    case Drop::ingress_full: return "a frame that may be lost found the buffer full where it came in";
    case Drop::egress_full: return "a frame that may be lost found the queue full where it was to go out";
    case Drop::mitigated_in: return "discarded by a treatment: it arrived for a treated queue";
    case Drop::mitigated_out: return "discarded by a treatment: it waited in a treated queue";
    case Drop::frame_size: return "longer than the port lets through, on purpose or not";
    case Drop::no_route: return "there was no route to its destination";
    case Drop::ttl: return "it was in a routing loop for too long";
    case Drop::link_down: return "its link was down";
    case Drop::nic_buffer: return "the NIC's receive buffer was full";
    case Drop::dead_host: return "its host was dead";
    case Drop::count_: break;
    }
    return {};
}

std::vector<const watchdog::Event*> events_of(const ReportedRun& run, const lab::QueueTrack& queue)
{
    std::vector<const watchdog::Event*> all;
    for (const auto& [node, device, where, event, port] : run.outcome.events) {
        const auto& target = event.target;
        if (!event.whole_device && node == queue.port.node && port == queue.port.port &&
            (!target.priority || target.priority->value == queue.priority)) {
            all.push_back(&event);
        }
    }
    return all;
}

std::vector<Standing> standings_of(const ReportedRun& run, const lab::QueueTrack& queue)
{
    const auto events = events_of(run, queue);
    const auto end = twin::to_instant(run.outcome.summary.simulated);
    std::vector<Standing> all;
    if (events.empty()) {
        return all;
    }
    all.push_back({Phase::watching, Instant{}, end});
    for (const auto* event : events) {
        const auto phase = phase_after(*event);
        if (phase && *phase != all.back().phase) {
            all.back().to = event->at;
            all.push_back({*phase, event->at, end});
        }
    }
    return all;
}

std::string reason_text(const ReportedRun& run, const ReportedEvent& reported)
{
    watchdog::Watchlist known;  // evidence_text() reads only max_mitigated of it
    for (const auto& watch : run.scenario->watches) {
        if (watch.node == reported.node) {
            known.max_mitigated = watch.book.max_mitigated;
        }
    }
    return evidence_text(reported.event, known);
}

std::vector<Sentence> story(const ReportedRun& run) { return Story{run}.sentences(); }

std::string judgement_text(const lab::Outcome& outcome)
{
    const auto count = [&](Verdict verdict) {
        return std::count_if(outcome.judgements.begin(), outcome.judgements.end(),
                             [&](const lab::Judgement& one) { return one.verdict == verdict; });
    };
    const auto all = outcome.judgements.size();
    if (all == 0) {
        return "nothing was expected";
    }
    if (const auto failed = count(Verdict::failed); failed != 0) {
        return fmt::format("{} of {} failed", failed, count_text(all, "expectation"));
    }
    if (const auto missing = count(Verdict::not_reached); missing != 0) {
        return fmt::format("{} of {} not reached", missing, count_text(all, "expectation"));
    }
    return all == 1 ? "the one expectation is met" : fmt::format("all {} expectations are met", all);
}

}  // namespace petrel::reports
