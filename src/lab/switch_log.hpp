// The lines that the switches of an experiment would write to their logs, from the events of their agents. Wall-clock
// times are simulated time, counted from 1970.
#pragma once

#include <vector>

#include "lab/experiment.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::lab {

// Empty if such a log has no line for this kind of event.
std::vector<wire::LogLine> log_lines(const AgentEvent&);

}  // namespace petrel::lab
