// The metrics in the text format of Prometheus: a pure function of the reports that the control socket also returns.
// docs/metrics.md lists every metric with its labels and meaning.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "control/report.hpp"
#include "daemon/pause_meter.hpp"

namespace petrel::daemon {

// At most this many queues get series, because each series costs the collector memory. Queues that are in a storm or
// mitigated now come first, then those with the most storms.
inline constexpr std::size_t kMostQueuesInMetrics = 1000;

// The queues of a device that pause.
struct DevicePauses {
    std::string device;
    std::uint64_t pausing{};
    std::vector<PausingQueue> queues;
};

// A queue that is not and never was in a storm gets no series, except its intervals if the device detects storms
// itself. The caller may leave out queues that get no series.
std::string metrics_text(const control::StatusReport&, std::span<const control::QueueReport>,
                         std::span<const DevicePauses> = {});

}  // namespace petrel::daemon
