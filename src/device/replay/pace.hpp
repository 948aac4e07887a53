// How a recording was paced: the usual time between two samples of a row, and how far the stamps stray from it.
#pragma once

#include "base/time.hpp"
#include "device/replay/trace.hpp"

namespace petrel::device {

struct Pace {
    Duration interval{};  // the step of the grid, else the median; zero: no row has two samples
    // Of a hundred stamps, 99 lie this close to a grid of that interval; a missed look is no jitter. Zero if the rows
    // follow no grid.
    Duration jitter{};
};

Pace pace_of(const DeviceTrace&);

}  // namespace petrel::device
