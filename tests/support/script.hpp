// The events of a synthetic switch, defined in advance. Times are whole microseconds; finer ones are rounded down.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace petrel::device {

// [from, to)
struct Stretch {
    Instant from;
    Instant to;
};

// Sorted by time, not overlapping.
using Stretches = std::vector<Stretch>;

inline Stretches storm(Instant from, Instant to) { return {{from, to}}; }

// `count` stretches of length `on`, one every `period`.
inline Stretches bursts(Instant from, Duration period, Duration on, std::uint32_t count)
{
    Stretches all;
    for (std::uint32_t i = 0; i < count; ++i) {
        all.push_back({from + i * period, from + i * period + on});
    }
    return all;
}

// From `at` on the link has this speed; zero = down.
struct LinkChange {
    Instant at;
    BitRate speed;
};

}  // namespace petrel::device
