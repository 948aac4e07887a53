// How much of the time between two reads a queue was paused, as far as the trace can tell: the curve of the page's
// timelines.
#pragma once

#include <vector>

#include "device/replay/trace.hpp"

namespace petrel::cli {

struct PauseInterval {
    Instant from;
    Instant to;
    double share{};  // 0..1; where only the ends of the interval are known, a half
};

// [slot]; intervals of which nothing is known are left out.
std::vector<std::vector<PauseInterval>> pause_signal(const device::DeviceTrace&);

// Of the known time, weighed by length; 0 if none is known.
double mean_share(const std::vector<PauseInterval>&);

}  // namespace petrel::cli
