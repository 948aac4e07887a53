#include "scenario/summary.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace petrel::scenario {

namespace {

void add_switch(TierSummary& tier, const twin::SwitchView& view, Ps now)
{
    for (std::uint8_t port = 0; port < view.ports(); ++port) {
        for (std::uint8_t queue = 0; queue < kPriorities; ++queue) {
            const auto seen = view.queue(port, queue, now);
            tier.pause_frames += seen.rx_xoff;
            tier.paused += seen.paused_for;
            tier.longest_pause = std::max(tier.longest_pause, seen.longest_pause);
            tier.paused_now += seen.paused ? 1 : 0;
        }
    }
    tier.drops += view.drops().total();
}

void add_host(TierSummary& tier, const twin::NicView& view, Ps now)
{
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
        const auto seen = view.read(priority, now);
        tier.pause_frames += seen.rx_xoff;
        tier.paused += seen.paused_for;
        tier.paused_now += seen.paused ? 1 : 0;
    }
    tier.drops += view.drops().total();
}

// Each process has the counters of its own nodes. Adds those of the other processes.
void share(std::vector<TierSummary>& tiers, twin::Peers& peers)
{
    static_assert(std::is_trivially_copyable_v<TierSummary>);
    const auto size = tiers.size() * sizeof(TierSummary);  // the tiers are the same in all processes
    const auto all = peers.gather({reinterpret_cast<const char*>(tiers.data()), size});
    for (unsigned rank = 0; rank < all.size(); ++rank) {
        if (rank == peers.rank()) {
            continue;
        }
        std::vector<TierSummary> theirs(tiers.size());
        std::memcpy(theirs.data(), all[rank].data(), size);
        for (std::size_t i = 0; i < tiers.size(); ++i) {
            tiers[i].pause_frames += theirs[i].pause_frames;
            tiers[i].paused += theirs[i].paused;
            tiers[i].longest_pause = std::max(tiers[i].longest_pause, theirs[i].longest_pause);
            tiers[i].paused_now += theirs[i].paused_now;
            tiers[i].drops += theirs[i].drops;
        }
    }
}

TrafficSummary summarize(const TrafficItem& item, const twin::Twin& twin)
{
    TrafficSummary sum;
    sum.name = item.name;
    sum.flows = item.flows;
    std::vector<Ps> times;
    for (auto i = item.first_flow; i < item.first_flow + item.flows; ++i) {
        const auto& flow = twin.setup().flows[i];
        const auto seen = twin.flow(i);
        sum.delivered += seen.delivered;
        sum.delivered_bytes += seen.delivered * flow.frame_bytes;
        if (seen.finished) {
            times.push_back(seen.finished_at - flow.start);
        }
    }
    sum.finished = static_cast<std::uint32_t>(times.size());
    if (!times.empty()) {
        std::sort(times.begin(), times.end());
        sum.fastest = times.front();
        sum.median = times[times.size() / 2];
        sum.slowest = times.back();
    }
    return sum;
}

}  // namespace

Summary summarize(const Scenario& scenario, const twin::Twin& twin)
{
    Summary sum;
    sum.scenario = scenario.name;
    sum.seed = twin.setup().seed;
    sum.simulated = twin.now();
    sum.totals = twin.totals();
    const auto& nodes = twin.setup().topology.nodes;
    for (std::uint32_t id = 0; id < nodes.size(); ++id) {
        const auto tier = nodes[id].tier;
        auto at = std::find_if(sum.tiers.begin(), sum.tiers.end(), [&](const auto& t) { return t.tier >= tier; });
        if (at == sum.tiers.end() || at->tier != tier) {
            at = sum.tiers.insert(at, TierSummary{});
            at->tier = tier;
        }
        ++at->nodes;
        if (!twin.runs_here(NodeId{id})) {
            continue;
        }
        if (twin.is_switch(NodeId{id})) {
            add_switch(*at, twin.switch_view(NodeId{id}), twin.now());
        } else {
            add_host(*at, twin.nic_view(NodeId{id}), twin.now());
        }
    }
    if (auto* peers = twin.peers()) {
        share(sum.tiers, *peers);
    }
    for (const auto& item : scenario.traffic) {
        sum.traffic.push_back(summarize(item, twin));
    }
    return sum;
}

}  // namespace petrel::scenario
