#include "words/words.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace petrel {
namespace {

using watchdog::Criterion;
using watchdog::Event;
using watchdog::EventKind;
using watchdog::Field;
using watchdog::Reason;

constexpr Duration kAtOnce = std::chrono::microseconds{1};  // a limit of one microsecond means one look, not a time

std::string with_decimals(std::int64_t units, std::int64_t per_whole, int digits)
{
    return fmt::format("{}{}.{:0{}}", units < 0 ? "-" : "", std::abs(units / per_whole), std::abs(units % per_whole),
                       digits);
}

// A status is valid at the time of its read only: time counts from the second read on.
std::string status(std::string_view shown, Duration proven)
{
    return proven <= kAtOnce ? fmt::format("pause-timeout status is {}", shown)
                             : fmt::format("pause-timeout status {} for {}", shown, ms_text(proven));
}

// The storm in words, with the time that was proven.
std::string storm_text(const Event& event)
{
    const auto& evidence = event.evidence;
    const auto proven = ms_text(evidence.proven);
    switch (evidence.rule.criterion) {
    case Criterion::continuous: return fmt::format("paused {} without a break", proven);
    case Criterion::stalled: return fmt::format("paused {} without a break, and its backlog did not drain", proven);
    case Criterion::progress: return fmt::format("stuck {} on balance: mostly paused, next to nothing sent", proven);
    case Criterion::receive_stall: return fmt::format("received nothing for {} while pausing its switch", proven);
    case Criterion::pause_timeout: return status("up", evidence.proven);
    case Criterion::device: return "the device found the storm itself";
    }
    return {};
}

std::string quiet_text(const Event& event)
{
    const auto proven = ms_text(event.evidence.proven);
    return event.evidence.rule.criterion == Criterion::pause_timeout ? status("clear", event.evidence.proven)
                                                                     : fmt::format("no pause for {}", proven);
}

// What the clock measured when the event was decided; empty if no clock decided it.
std::string measured_text(const Event& event)
{
    switch (event.reason) {
    case Reason::proven:
    case Reason::blast_radius:
    case Reason::repeated: return storm_text(event);
    case Reason::quiet: return quiet_text(event);
    case Reason::probe:
        return event.kind == EventKind::probe_failed ? "the storm came back or never ended: " + storm_text(event)
                                                     : "no storm during the half-open probe";
    default: return {};
    }
}

// The circumstance, where the reason is not the clock alone.
std::string circumstance_text(const Event& event, const watchdog::Watchlist& watchlist)
{
    switch (event.reason) {
    case Reason::forced: return "the fixed time of the mitigation is over";
    case Reason::link_down: return "the link went down";
    case Reason::blast_radius:  // zero: the caller does not have the limit
        return watchlist.max_mitigated == 0 ? "not acted on: the limit of mitigated queues is reached"
                                            : fmt::format("not acted on: the limit of {} is reached",
                                                          count_text(watchlist.max_mitigated, "mitigated queue"));
    case Reason::repeated: return "latched: stays mitigated until it is released";
    case Reason::operator_: return "ordered by an operator";
    case Reason::red_switch: return "the big red switch";
    case Reason::stop: return "the watchdog was stopped";
    case Reason::reconfigured: return "the configuration changed";
    case Reason::reconciled: return "found in this state at the start";
    case Reason::reboot: return "the machine of the NIC has been booted again";
    case Reason::device: return "reported by the device";
    case Reason::refused: return "the device refused";
    case Reason::failed: return "the device tried and failed";
    case Reason::differs: return "the device shows another treatment";
    case Reason::timed_out: return "no answer in time: it is unknown what is in effect";
    case Reason::no_effect: return "written, but the queue shows no effect";
    default: return {};
    }
}

std::string looks_text(std::size_t looks)
{
    return looks == 1 ? "the last look on record" : fmt::format("the last {} looks on record", looks);
}

std::string_view pause_text(const watchdog::Interval& interval)
{
    const auto shows = [&](std::uint8_t bits) { return (interval.pause & bits) != 0; };
    if (shows(watchdog::kLinkDown)) {
        return "link down";
    }
    if (shows(watchdog::kThroughout)) {
        return "paused throughout";
    }
    if (shows(watchdog::kQuiet)) {
        return "no pause";
    }
    if (shows(watchdog::kPausedNow)) {
        return "paused at the end";
    }
    if (shows(watchdog::kNotPausedNow)) {
        return "not paused at the end";
    }
    return "pause state not known";
}

}  // namespace

std::string seconds_text(Instant at) { return with_decimals(whole_us(at), 1'000'000, 6); }
std::string seconds_text(Duration time) { return with_decimals(whole_ms(time), 1000, 3) + " s"; }
std::string ms_text(Duration time) { return with_decimals(whole_us(time), 1000, 3) + " ms"; }

std::string limit_text(Duration time)
{
    return whole_us(time) % 1000 == 0 ? fmt::format("{} ms", whole_ms(time)) : ms_text(time);
}

std::string count_text(std::uint64_t count, std::string_view thing)
{
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string policy_text(const Event& event, const watchdog::Watchlist& watchlist)
{
    return event.policy < watchlist.policies.size() ? watchlist.policies[event.policy].name : "-";
}

std::string evidence_text(const Event& event, const watchdog::Watchlist& watchlist)
{
    auto text = measured_text(event);
    if (!text.empty() && event.evidence.limit > kAtOnce) {
        text += fmt::format(" (limit {}; {})", limit_text(event.evidence.limit), looks_text(event.evidence.looks));
    }
    const auto add = [&](std::string_view more) {
        text += fmt::format("{}{}", text.empty() || more.empty() ? "" : "; ", more);
    };
    add(circumstance_text(event, watchlist));
    add(event.by);
    return text;
}

std::string interval_text(const watchdog::Interval& interval)
{
    auto text = fmt::format("{}: {}", ms_text(std::chrono::microseconds{interval.dt_us}), pause_text(interval));
    for (std::size_t i = 0; i < watchdog::kFields; ++i) {
        const auto field = static_cast<Field>(i);
        const bool in_pause_text = field == Field::pause_state || field == Field::paused_now;
        if (watchdog::has(interval.known, field) && !in_pause_text) {
            text += fmt::format(", {} {}", name(field), interval.value[i]);
        }
    }
    return text;
}

bool begins_storm(EventKind kind)
{
    return kind == EventKind::storm_detected || kind == EventKind::storm_alert || kind == EventKind::pause_too_long ||
           kind == EventKind::nic_latched || kind == EventKind::storm_escalated;
}

bool ends_storm(EventKind kind)
{
    return kind == EventKind::storm_restored || kind == EventKind::pause_too_long_cleared ||
           kind == EventKind::storm_released;
}

}  // namespace petrel
