// What both ends of a link say about the times it went down, and what a manager has logged of it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "link/history.hpp"
#include "link/link_end.hpp"

namespace petrel::scenario {

struct LinkEndStory {
    std::string port;                      // "leaf0:Ethernet4"
    link::LinkReading reading;             // as the end itself would say it
    std::vector<link::DownEvent> history;  // as the manager knows it: the last eight, oldest first
};

struct LinkStory {
    std::array<LinkEndStory, 2> ends;
};

}  // namespace petrel::scenario
