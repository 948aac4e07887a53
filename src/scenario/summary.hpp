// The results of a run in numbers: per tier of the fabric, per traffic item, and in total. They do not depend on the
// number of threads. The run time is not part of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/link_story.hpp"
#include "scenario/scenario.hpp"
#include "twin/twin.hpp"

namespace petrel::scenario {

struct TierSummary {
    std::uint8_t tier{};  // 0 = hosts
    std::uint32_t nodes{};
    std::uint64_t pause_frames{};  // received XOFF, of any priority
    Ps paused{};                   // sum over all queues
    Ps longest_pause{};            // the longest of one switch queue
    std::uint32_t paused_now{};    // queues, at the end
    std::uint64_t drops{};
};

struct TrafficSummary {
    std::string name;
    std::uint32_t flows{};
    std::uint32_t finished{};
    std::uint64_t delivered{};  // frames
    std::uint64_t delivered_bytes{};
    // Completion times of the flows that finished, each from the flow's start.
    Ps fastest{};
    Ps median{};
    Ps slowest{};
};

struct Summary {
    std::string scenario;
    std::uint64_t seed{};
    Ps simulated{};
    std::vector<TierSummary> tiers;
    std::vector<TrafficSummary> traffic;
    std::vector<LinkStory> links;  // links that went down; the caller fills it in
    twin::Totals totals;
};

// Call between two runs of the twin. If several processes run the twin, all must call it.
Summary summarize(const Scenario&, const twin::Twin&);

}  // namespace petrel::scenario
