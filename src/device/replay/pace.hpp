// How a recording was paced: the usual time between two samples of a row, and how uncertain the stamps are.
#pragma once

#include <vector>

#include "base/time.hpp"
#include "device/replay/trace.hpp"

namespace petrel::device {

struct RowPace {
    Duration interval{};  // the usual time between two samples; zero: the row has no two samples
    double stray{};       // the share of the samples whose stamps are off by more than Pace::jitter
};

struct Pace {
    Duration interval{};  // the usual time between two samples of a row, over all rows
    // By how much the time between two stamps of a row may be wrong. A missed look is no error of a stamp.
    Duration jitter{};
    std::vector<RowPace> rows;  // rows[slot]
};

// The jitter comes from what the trace itself shows; the largest of these counts, for the worst row:
// - how far the stamps of a row stray from a grid. If they follow no grid, each may be off by a whole step, unless the
//   pause times of the trace show that the stamps are exact and only the looks irregular;
// - the tick of a coarse clock: all stamps are multiples of it, or counters move while the stamp stays the same;
// - the excess: pause cannot last longer than the time in which it was counted.
Pace pace_of(const DeviceTrace&);

}  // namespace petrel::device
