// The reasons that both ends of a link give for going down, as text for a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scenario/link_story.hpp"

namespace petrel::reports {

std::string reason_cell(std::uint8_t code);  // "39 FM Bounce"; "0"
// A register as a reader sees it: "unavailable" if the reader would reach it over a link that is down.
std::string register_cell(std::uint8_t code, bool available);
std::string state_cell(link::LinkState);  // "down (Polling)"

// The registers of both ends, then what the manager logged about them; empty if no link went down.
std::string links_text(std::span<const scenario::LinkStory>);

}  // namespace petrel::reports
