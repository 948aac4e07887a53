// What is not as it should be with an agent, by its own report, and what a person may do about it: the judgement of
// `petrel status`, apart from how it is shown.
#pragma once

#include <string>
#include <vector>

#include "codec/control_report.hpp"

namespace petrel::cli {

struct Problem {
    std::string what;
    std::vector<std::string> details;
    std::string next;  // to do
};

// The worst first.
std::vector<Problem> problems_of(const codec::StatusReport&);

std::string condition_words(codec::DeviceReport::Condition);  // "not answering"
std::string age_text(std::int64_t ms);                        // "12 s", "4 min 5 s", "3 d 4 h"

}  // namespace petrel::cli
