// The share of time between two reads for which a queue was paused, as far as the trace shows it: the curve in the
// page's timelines.
#pragma once

#include <vector>

#include "device/replay/trace.hpp"

namespace petrel::reports {

struct PauseInterval {
    Instant from;
    Instant to;
    double share{};  // 0..1; 0.5 if only the state at both ends of the interval is known
};

// [slot]; intervals without information are left out.
std::vector<std::vector<PauseInterval>> pause_signal(const device::DeviceTrace&);

// The mean over the known time, weighted by length; 0 if none is known.
double mean_share(const std::vector<PauseInterval>&);

}  // namespace petrel::reports
