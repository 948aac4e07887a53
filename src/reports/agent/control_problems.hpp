// Finds the problems in an agent's status report, and what the operator can do about them. `petrel status` shows them.
#pragma once

#include <string>
#include <vector>

#include "control/report.hpp"

namespace petrel::reports {

struct Problem {
    std::string what;
    std::vector<std::string> details;
    std::string next;  // what the operator can do
};

// The most serious problem first.
std::vector<Problem> problems_of(const control::StatusReport&);

std::string condition_text(control::DeviceReport::Condition);  // "not answering"
std::string age_text(std::int64_t ms);                         // "12 s", "4 min 5 s", "3 d 4 h"

}  // namespace petrel::reports
