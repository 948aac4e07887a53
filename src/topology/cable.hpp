// What a cable's length means: how long a bit is under way. Apart from everything else, since scenarios give metres,
// links hold delays, and the headroom sum needs the very same speed.
#pragma once

#include "topology/topology.hpp"

namespace petrel::topology {

inline constexpr double kMetresPerSecond = 198e6;  // about two thirds of c; the figure SONiC's headroom sum uses
inline constexpr double kLongestCable_m = 1e6;

// 0 to kLongestCable_m, which readers of outside text have to check; to the nearest picosecond.
Delay delay_of_cable(double metres);

}  // namespace petrel::topology
