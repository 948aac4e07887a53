// Identifies the present boot of the machine and its age. With these a later process computes how much time has passed,
// even if the wall clock was set in between.
#pragma once

#include <string>

#include "base/time.hpp"

namespace petrel::runtime {

struct Boot {
    std::string id;  // differs after every boot; empty if the kernel has none
    Duration age{};  // includes time in suspend
};

Boot this_boot();

}  // namespace petrel::runtime
