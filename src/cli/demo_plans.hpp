// The two test plans that the demo plays, from scenarios/figure-5/, as they stood when the program was built: it needs
// no other file, and what it shows is what is tested.
#pragma once

#include <string_view>

namespace petrel::cli {

struct DemoPlan {
    std::string_view file;  // in the source tree
    std::string_view text;
};

extern const DemoPlan kNobodyWatches;
extern const DemoPlan kTheTorSwitchesWatch;

}  // namespace petrel::cli
