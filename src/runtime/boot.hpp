// Which start of the machine this is and how long ago it was: what tells a next process how much time has passed, even
// where the time of day was set in between.
#pragma once

#include <string>

#include "base/time.hpp"

namespace petrel::runtime {

struct Boot {
    std::string id;  // another one after every start; empty where the kernel does not say
    Duration age{};  // sleep included
};

Boot this_boot();

}  // namespace petrel::runtime
