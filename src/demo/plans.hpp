// The two test plans that the demo plays, from scenarios/figure-5/, embedded at build time. The demo needs no other
// file and shows what the tests run.
#pragma once

#include <string_view>

namespace petrel::demo {

struct Plan {
    std::string_view file;  // in the source tree
    std::string_view text;
};

extern const Plan kWithoutWatchdog;
extern const Plan kLeafSwitchesWatch;

}  // namespace petrel::demo
