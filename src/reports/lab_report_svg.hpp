// The drawings in a run's report, each over the whole run: nodes that stood still, a queue, the pause of the links, the
// throughput of a traffic item, the losses; and over many runs, the detection times. Faults are thin lines in all of
// them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/lab_report.hpp"

namespace petrel::reports {

std::string standstill_svg(const ReportedRun&);
std::string queue_svg(const ReportedRun&, const lab::QueueTrack&);
std::string heat_map_svg(const ReportedRun&, std::span<const lab::LinkTrack>);
std::string throughput_svg(const ReportedRun&, const lab::TrafficTrack&);
std::string losses_svg(const ReportedRun&);

// A row of dots for each label.
using Latencies = std::vector<std::pair<std::string, std::vector<Duration>>>;
std::string latency_svg(const Latencies&);

}  // namespace petrel::reports
