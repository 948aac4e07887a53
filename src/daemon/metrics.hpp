// What the agent reports, as Prometheus fetches it: a pure function of the reports that the control socket gives too.
// Every metric, with its labels and meaning: docs/metrics.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "codec/control_report.hpp"

namespace petrel::daemon {

// So many queues get series of their own, however many storm: a collector pays for each. Those that are in trouble now
// come first, then those that were most often.
inline constexpr std::size_t kMostQueuesInMetrics = 1000;

// A queue that is just watched, and always was, is passed over: all may be given, or only the others.
std::string metrics_text(const codec::StatusReport&, std::span<const codec::QueueReport>);

}  // namespace petrel::daemon
