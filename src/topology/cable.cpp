#include "topology/cable.hpp"

#include <cmath>

#include "base/assert.hpp"

namespace petrel::topology {

Delay delay_of_cable(double metres)
{
    PETREL_ASSERT(metres >= 0 && metres <= kLongestCable_m, "a cable of {} m", metres);
    return Delay{std::llround(metres / kMetresPerSecond * std::pico::den)};
}

}  // namespace petrel::topology
