// What agents said, in words and in the order of time, where several processes share the twin: an agent's events are
// known where its device runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "twin/peers.hpp"

namespace petrel::lab {

struct Said {
    Instant at;
    std::string device;
    std::uint64_t seq{};  // of the device's events
    std::string text;
};

// The words of all processes. All of them have to ask.
std::string common_news(const std::vector<Said>& ours, twin::Peers&);

}  // namespace petrel::lab
