// The content of a report, before layout: the run's story in plain sentences, and a few summary numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/lab_report.hpp"
#include "topology/topology.hpp"
#include "watchdog/checkpoint.hpp"

namespace petrel::reports {

// From the last fault before it that makes a NIC pause its switch without end, to the first event that reports the
// storm.
std::optional<Duration> detection_latency(const ReportedRun&);

// How far a storm spread into a tier: nodes that were held up (a queue was paused for a whole interval), and those of
// them that stood still (sent nothing although they had data to send).
struct Standstill {
    std::uint8_t tier{};
    std::uint32_t nodes{};
    std::uint32_t most_held{};  // at the same time
    std::uint32_t most{};       // nodes that stood still at the same time
    std::uint32_t at_end{};     // nodes that stand still when the run ends
    twin::Ps first_seen{};      // the end of the first interval with nodes held up
    twin::Ps worst_seen{};      // the end of the first interval with most of them
    twin::Ps last_seen{};       // the end of the last interval with nodes held up
};
std::vector<Standstill> standstills(const lab::RecordedRun&);

// "hosts", "leaf switches".
std::string tier_text(const topology::Topology&, std::uint8_t tier);

// The meaning of a cause of loss.
std::string_view loss_text(twin::Drop);

// Events about a queue, or about its whole port, in the order of time.
std::vector<const watchdog::Event*> events_of(const ReportedRun&, const lab::QueueTrack&);

// The phases of a queue according to its events; empty if it has none.
struct Standing {
    watchdog::Phase phase{};
    Instant from;
    Instant to;
};
std::vector<Standing> standings_of(const ReportedRun&, const lab::QueueTrack&);

// The reason for an event.
std::string reason_text(const ReportedRun&, const lab::ReportedEvent&);

struct Sentence {
    std::optional<twin::Ps> at;  // none: about the whole run
    bool exact{};                // else measured in the interval that ends at that time
    std::string text;
};
std::vector<Sentence> story(const ReportedRun&);

// "all 3 expectations met", "1 of 3 expectations failed", "nothing was expected".
std::string judgement_text(const lab::Outcome&);

}  // namespace petrel::reports
