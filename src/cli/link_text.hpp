// What the two ends of a link say about why it went down, for people at a terminal.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scenario/link_story.hpp"

namespace petrel::cli {

std::string reason_cell(std::uint8_t code);  // "39 FM Bounce"; "0"
std::string state_cell(link::LinkState);     // "down (Polling)"

// Both ends' registers, then what the manager logged of them; nothing if no link went down.
std::string links_text(std::span<const scenario::LinkStory>);

}  // namespace petrel::cli
