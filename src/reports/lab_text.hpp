// A run of the lab as text: its events as lines, then the result.
#pragma once

#include <span>
#include <string>

#include "lab/experiment.hpp"
#include "terminal/terminal.hpp"
#include "topology/topology.hpp"

namespace petrel::reports {

std::string lab_heading(const scenario::Scenario&);
std::string lab_events(std::span<const lab::AgentEvent>, const Paint&);
std::string lab_summary(const scenario::Summary&, const topology::Topology&);

}  // namespace petrel::reports
