// The timers that `pfcwd start_default` chooses: longer on a switch with more ports, because polling is expensive.
#pragma once

#include <cstddef>
#include <cstdint>

#include "watchdog/policy.hpp"

namespace petrel::sonic {

// The detection and the restoration time; the poll interval is the same, up to its largest value.
std::int64_t default_time_ms(std::size_t ports);

// Sets these timers and the action `drop`, within the limits of a policy.
void scale_as_start_default(watchdog::Policy&, std::size_t ports);

}  // namespace petrel::sonic
