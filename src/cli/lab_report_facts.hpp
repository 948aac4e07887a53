// What a report says, before it is laid out: the run's story in plain sentences, and the few numbers that sum it up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/lab_report.hpp"
#include "watchdog/checkpoint.hpp"

namespace petrel::cli {

// From the last fault before it that makes a NIC pause its switch without end, to the first event that names the storm.
std::optional<Duration> detection_latency(const ReportedRun&);

// How far a storm reached into a tier: nodes that were held up (some queue paused throughout an interval), and those of
// them that stood still (sent nothing at all although they had something to send).
struct Standstill {
    std::uint8_t tier{};
    std::uint32_t nodes{};
    std::uint32_t most_held{};  // at the same time
    std::uint32_t most{};       // standing, at the same time
    twin::Ps first_seen{};      // the end of the first interval in which some were held up
    twin::Ps worst_seen{};      // and of the first with the most
    twin::Ps last_seen{};       // and of the last
};
std::vector<Standstill> standstills(const lab::RecordedRun&);

// "hosts", "tier 1 switches".
std::string tier_words(std::uint8_t tier);

// What a cause of loss means.
std::string_view loss_words(twin::Drop);

// Events about a queue, or about its port as a whole, in the order of time.
std::vector<const watchdog::Event*> events_of(const ReportedRun&, const lab::QueueTrack&);

// How the watchdog stood to a queue, by what it said about it; nothing where it never said anything.
struct Standing {
    watchdog::Phase phase{};
    Instant from;
    Instant to;
};
std::vector<Standing> standings_of(const ReportedRun&, const lab::QueueTrack&);

// Why an event is so.
std::string reason_words(const ReportedRun&, const lab::ToldEvent&);

struct Sentence {
    std::optional<twin::Ps> at;  // none: of the whole run
    bool exact{};                // else measured, in the interval that ended then
    std::string text;
};
std::vector<Sentence> story(const ReportedRun&);

// "all 3 expectations met", "1 of 3 expectations failed", "nothing was expected".
std::string verdict_words(const lab::Outcome&);

}  // namespace petrel::cli
