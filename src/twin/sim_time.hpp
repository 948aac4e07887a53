// Simulated time: whole picoseconds since the start of the run. At 100 Gb/s a byte takes 80 of them, so serialisation
// is exact at every Ethernet speed (a 1 ns clock would make links 1 % too fast at 100G and 5 % at 400G).
#pragma once

#include <cstdint>
#include <limits>

#include "base/time.hpp"

namespace petrel::twin {

using Ps = std::uint64_t;

inline constexpr Ps kForever = std::numeric_limits<Ps>::max();
inline constexpr Ps kNs = 1'000;
inline constexpr Ps kUs = 1'000'000;
inline constexpr Ps kMs = 1'000'000'000;
inline constexpr Ps kSecond = 1'000'000'000'000;

// Rounded down to nanoseconds outside the twin.
constexpr Instant to_instant(Ps t) { return Instant{std::chrono::nanoseconds{static_cast<std::int64_t>(t / kNs)}}; }
constexpr Ps from_instant(Instant t) { return static_cast<Ps>(t.time_since_epoch().count()) * kNs; }

}  // namespace petrel::twin
