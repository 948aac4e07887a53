// A run of the lab for people at a terminal: events as lines, then what it came to.
#pragma once

#include <span>
#include <string>

#include "cli/terminal.hpp"
#include "lab/experiment.hpp"

namespace petrel::cli {

std::string lab_heading(const scenario::Scenario&);
std::string lab_events(std::span<const lab::Heard>, const Paint&);
std::string lab_summary(const scenario::Summary&);

}  // namespace petrel::cli
