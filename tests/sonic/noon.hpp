// The start time of tests that show wall time.
#pragma once

#include <chrono>

#include "base/time.hpp"

namespace petrel::sonic {

inline constexpr WallTime kNoon{std::chrono::seconds{1'700'000'000}};

}  // namespace petrel::sonic
