// The propagation delay of a cable. It is separate because scenarios give metres, links have delays, and the headroom
// calculation needs the same speed.
#pragma once

#include "topology/topology.hpp"

namespace petrel::topology {

inline constexpr double kMetresPerSecond = 198e6;  // about two thirds of c; the value of SONiC's headroom calculation
inline constexpr double kLongestCable_m = 1e6;

// `metres` must be 0 to kLongestCable_m; parsers of outside text check it. The result is rounded to picoseconds.
Delay delay_of_cable(double metres);

}  // namespace petrel::topology
