// The events of all agents as text, in order of time, if several processes share the twin. Only the process that runs a
// device has the events of its agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "twin/peers.hpp"

namespace petrel::lab {

struct EventText {
    Instant at;
    std::string device;
    std::uint64_t seq{};  // number of the event, by device
    std::string text;
};

// Returns the texts of all processes. Every process must call it.
std::string merged_events(const std::vector<EventText>& ours, twin::Peers&);

}  // namespace petrel::lab
