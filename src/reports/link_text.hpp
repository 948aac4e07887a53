// The reasons that both ends of a link give for going down, as text for a terminal.
#pragma once

#include <span>
#include <string>

#include "scenario/link_story.hpp"

namespace petrel::reports {

std::string state_cell(link::LinkState);  // "down (Polling)"

// The registers of both ends, then what the manager logged about them; empty if no link went down.
std::string links_text(std::span<const scenario::LinkStory>);

}  // namespace petrel::reports
