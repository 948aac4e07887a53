// What the switches of an experiment would write to their logs, from what their agents said. Times of day are simulated
// time, counted from 1970.
#pragma once

#include <vector>

#include "lab/experiment.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::lab {

// None where the event is nothing that such a log speaks of.
std::vector<wire::LogLine> log_lines(const Heard&);

}  // namespace petrel::lab
