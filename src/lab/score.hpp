// Compares the events of a watchdog with the scenario's truth: which storms it caught, how fast, and which queues it
// mitigated without a storm.
#pragma once

#include <cstdint>
#include <optional>

#include "lab/outcome.hpp"
#include "scenario/scenario.hpp"

namespace petrel::lab {

struct Score {
    std::uint32_t storms{};         // queues in a storm, by the truth
    std::uint32_t caught{};         // of those, detected at either end of their link during the storm
    twin::Ps latency{};             // the longest time from the beginning of a storm to its detection
    std::uint32_t false_actions{};  // mitigations of queues that were not in a storm at that time

    Score& operator+=(const Score&);
};

Score score(const scenario::Scenario&, const std::vector<ReportedEvent>&);

}  // namespace petrel::lab
