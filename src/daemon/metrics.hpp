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

// Whether a queue gets series of its own: it is not just watched, or was not once.
bool in_metrics(const codec::QueueReport&);

// Queues that are not in_metrics() are passed over, so all may be given or only those.
std::string metrics_text(const codec::StatusReport&, std::span<const codec::QueueReport>);

}  // namespace petrel::daemon
