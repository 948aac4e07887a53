// The drawings of a run's report, each over the whole run: who stood still, a queue, the links' pauses, an item's
// throughput, the losses; and over many runs, how long detection took. Faults are thin lines through all of them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/lab_report.hpp"

namespace petrel::cli {

std::string standstill_svg(const ReportedRun&);
std::string queue_svg(const ReportedRun&, const lab::QueueTrack&);
std::string heat_map_svg(const ReportedRun&, std::span<const lab::LinkTrack>);
std::string throughput_svg(const ReportedRun&, const lab::TrafficTrack&);
std::string losses_svg(const ReportedRun&);

// A row of dots for each label.
using Latencies = std::vector<std::pair<std::string, std::vector<Duration>>>;
std::string latency_svg(const Latencies&);

}  // namespace petrel::cli
