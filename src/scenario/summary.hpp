// What a run came to, in numbers: per tier of the fabric, per item of the traffic, in all. The same for every number of
// threads; how long it took is whoever's business that measured it.
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
    Ps paused{};                   // of all queues together
    Ps longest_pause{};            // of one queue of a switch
    std::uint32_t paused_now{};    // queues, at the end
    std::uint64_t drops{};
};

struct TrafficSummary {
    std::string name;
    std::uint32_t flows{};
    std::uint32_t finished{};
    std::uint64_t delivered{};  // frames
    std::uint64_t delivered_bytes{};
    // Completion times of the flows that finished, from the item's start.
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
    std::vector<LinkStory> links;  // those that went down: for whoever looks after them to fill in
    twin::Totals totals;
};

// As things stand now; between two runs of the twin. Of processes that share a twin, all have to ask.
Summary summarize(const Scenario&, const twin::Twin&);

}  // namespace petrel::scenario
