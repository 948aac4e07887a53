// How a watchdog did, measured by the scenario's truth: which storms it caught, how fast, and whom it hit for nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/outcome.hpp"
#include "scenario/scenario.hpp"

namespace petrel::lab {

struct Score {
    std::uint32_t storms{};         // queues that were stormed, by the truth
    std::uint32_t caught{};         // of those, found at their place (at either end of the link) while they lasted
    twin::Ps latency{};             // the longest from a storm's begin to that
    std::uint32_t false_actions{};  // a queue was treated that nobody stormed, or not then

    Score& operator+=(const Score&);
};

Score score(const scenario::Scenario&, const std::vector<ToldEvent>&);

}  // namespace petrel::lab
