// The registers of both ends of a link, and the manager's log of its link-down events.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "link/history.hpp"
#include "link/link_end.hpp"

namespace petrel::scenario {

struct LinkEndStory {
    std::string port;                      // "leaf0:Ethernet4"
    link::LinkReading reading;             // as read from the end
    std::vector<link::DownEvent> history;  // from the manager: the last eight events, oldest first
    bool available{true};                  // false: a reader would reach this end over its own link, which is down
};

struct LinkStory {
    std::array<LinkEndStory, 2> ends;
};

}  // namespace petrel::scenario
