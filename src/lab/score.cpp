#include "lab/score.hpp"

#include <algorithm>

namespace petrel::lab {

namespace {

using scenario::Scenario;
using scenario::Truth;
using twin::Ps;
using watchdog::EventKind;

// A look that is under way when the storm ends may still detect it. The grace is two of the usual poll intervals.
constexpr Ps kGrace = 200 * twin::kMs;

bool finds_storm(const watchdog::Event& event)
{
    return event.kind == EventKind::storm_detected || event.kind == EventKind::storm_alert ||
           event.kind == EventKind::pause_too_long || event.kind == EventKind::nic_latched;
}

// A treatment that is found in force at a start is not a new mitigation.
bool acts(const watchdog::Event& event)
{
    return finds_storm(event) && event.reason != watchdog::Reason::reconciled && event.kind != EventKind::storm_alert &&
           event.action != watchdog::Treatment::none;
}

bool is_end_of(const topology::Link& link, const topology::End& end)
{
    return link.ends[0] == end || link.ends[1] == end;
}

// The watchdogs at both ends of a link see the same storm.
bool same_link(const Scenario& scenario, const topology::End& one, const topology::End& other)
{
    const auto& links = scenario.setup.topology.links;
    return std::any_of(links.begin(), links.end(),
                       [&](const topology::Link& link) { return is_end_of(link, one) && is_end_of(link, other); });
}

bool is_about(const Scenario& scenario, const ReportedEvent& reported, const Truth& truth, std::uint8_t priorities)
{
    const auto& event = reported.event;
    const auto at = twin::from_instant(event.at);
    if (at < truth.from || at > truth.until + kGrace ||
        (event.target.priority && (unsigned{priorities} >> event.target.priority->value & 1U) == 0)) {
        return false;
    }
    return same_link(scenario, {reported.node, reported.port}, truth.port);
}

bool ends_storm(const watchdog::Event& event)
{
    return event.kind == EventKind::storm_restored || event.kind == EventKind::storm_released ||
           event.kind == EventKind::pause_too_long_cleared;
}

// A queue that is still mitigated for an earlier storm counts as caught. It does not have to be detected again.
bool already_held(const Scenario& scenario, const std::vector<ReportedEvent>& events, const Truth& truth,
                  std::uint8_t priorities)
{
    const Truth before{truth.port, truth.priorities, 0, truth.from};
    bool held = false;
    for (const auto& reported : events) {
        if (twin::from_instant(reported.event.at) <= truth.from && is_about(scenario, reported, before, priorities)) {
            held = acts(reported.event) || (held && !ends_storm(reported.event));
        }
    }
    return held;
}

}  // namespace

Score& Score::operator+=(const Score& other)
{
    storms += other.storms;
    caught += other.caught;
    latency = std::max(latency, other.latency);
    false_actions += other.false_actions;
    return *this;
}

Score score(const Scenario& scenario, const std::vector<ReportedEvent>& events)
{
    Score sum;
    for (const auto& truth : scenario.truth) {
        for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
            const auto mask = static_cast<std::uint8_t>(truth.priorities & 1U << priority);
            if (mask == 0) {
                continue;
            }
            ++sum.storms;
            if (already_held(scenario, events, truth, mask)) {
                ++sum.caught;
                continue;
            }
            const auto found = std::find_if(events.begin(), events.end(), [&](const ReportedEvent& reported) {
                return finds_storm(reported.event) && is_about(scenario, reported, truth, mask);
            });
            if (found != events.end()) {
                ++sum.caught;
                sum.latency = std::max(sum.latency, twin::from_instant(found->event.at) - truth.from);
            }
        }
    }
    for (const auto& reported : events) {
        const bool meant = std::any_of(scenario.truth.begin(), scenario.truth.end(), [&](const Truth& truth) {
            return is_about(scenario, reported, truth, truth.priorities);
        });
        sum.false_actions += acts(reported.event) && !meant ? 1U : 0U;
    }
    return sum;
}

}  // namespace petrel::lab
