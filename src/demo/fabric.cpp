#include "demo/fabric.hpp"

#include <algorithm>

#include "base/ids.hpp"

namespace petrel::demo {
namespace {

using twin::NodeId;
using twin::Ps;

// The sending side of a port, summed over all priorities.
struct SendingSide {
    bool paused{};
    Ps paused_for{};
    std::uint64_t pause_frames{};
    std::uint64_t lost{};
};

SendingSide side_of(const twin::Twin& twin, const topology::End& end)
{
    SendingSide side;
    const auto port = static_cast<std::uint8_t>(end.port);
    for (std::uint8_t i = 0; i < kPriorities; ++i) {
        const auto add = [&side](const auto& reading) {
            side.paused = side.paused || reading.paused;
            side.paused_for += reading.paused_for;
            side.pause_frames += reading.rx_xoff;
        };
        if (!twin.is_switch(end.node)) {
            add(twin.nic_view(end.node).read(i, twin.now()));
            continue;
        }
        const auto view = twin.switch_view(end.node);
        const auto queue = view.queue(port, i, twin.now());
        add(queue);
        side.lost += queue.tx_drops + view.group(port, i).rx_drops;
    }
    return side;
}

}  // namespace

std::size_t FabricNow::standing(std::size_t tier) const
{
    return static_cast<std::size_t>(std::count(tiers[tier].begin(), tiers[tier].end(), Condition::stands));
}

FabricWatch::FabricWatch(const lab::Experiment& experiment)
    : twin_(experiment.twin()), sick_(std::get<scenario::StopPipeline>(experiment.scenario().faults.front().what).host)
{
    for (const auto& link : twin_.setup().topology.links) {
        sides_.push_back({link.ends[0], link.ends[1].node});
        sides_.push_back({link.ends[1], link.ends[0].node});
    }
    ports_ = static_cast<std::uint32_t>(
        std::count_if(sides_.begin(), sides_.end(), [&](const Port& p) { return twin_.is_switch(p.end.node); }));
    for (const auto& flow : twin_.setup().flows) {
        healthy_flows_ += flow.src != sick_ && flow.dst != sick_ ? 1U : 0U;
    }
    past_.push_back({lab::Standstill{twin_}, delivered()});
}

FabricNow FabricWatch::look()
{
    FabricNow now;
    now.at = twin_.now();
    look_at_nodes(now, look_at_ports(now));
    look_at_flows(now);
    if (!now.pauses.contains({0, 1})) {
        sick_pauses_since_.reset();
    } else {
        sick_pauses_since_ = sick_pauses_since_.value_or(now.at);
        now.sick_pauses_for = now.at - *sick_pauses_since_;
    }
    past_.push_back({lab::Standstill{twin_}, delivered()});
    if (past_.size() > kLooksBack / twin::kMs) {
        past_.pop_front();
    }
    return now;
}

std::set<NodeId> FabricWatch::look_at_ports(FabricNow& now) const
{
    const auto& nodes = twin_.setup().topology.nodes;
    std::set<NodeId> paused;
    for (const auto& [end, far] : sides_) {
        const auto side = side_of(twin_, end);
        const bool is_switch = twin_.is_switch(end.node);
        now.pause_frames += side.pause_frames;
        now.lost_at_sick += far == sick_ ? side.lost : 0;
        if (end.node == sick_) {
            continue;
        }
        if (!is_switch) {
            now.longest_wait = std::max(now.longest_wait, side.paused_for);
        }
        if (side.paused) {
            paused.insert(end.node);
            now.pauses.insert({nodes[far.value].tier, nodes[end.node.value].tier});
            ++(is_switch ? now.ports_paused : now.servers_paused);
        }
    }
    now.lost_at_sick += twin_.nic_view(sick_).drops().total();
    now.lost_elsewhere = twin_.totals().drops.total() - now.lost_at_sick;
    return paused;
}

void FabricWatch::look_at_nodes(FabricNow& now, const std::set<NodeId>& paused) const
{
    const auto& nodes = twin_.setup().topology.nodes;
    for (std::uint32_t id = 0; id < nodes.size(); ++id) {
        const NodeId node{id};
        if (node == sick_) {
            continue;
        }
        const bool stands = past_.front().standstill.frozen({node}) != 0;
        now.tiers[nodes[id].tier].push_back(stands                  ? Condition::stands
                                            : paused.contains(node) ? Condition::paused
                                                                    : Condition::moves);
    }
}

void FabricWatch::look_at_flows(FabricNow& now) const
{
    const auto& flows = twin_.setup().flows;
    const auto all = delivered();
    const auto seconds = static_cast<double>(std::min(now.at, kLooksBack)) / twin::kSecond;
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const auto frames = all[i] - past_.front().delivered[i];
        const auto bps = static_cast<double>(8 * frames * flows[i].frame_bytes) / seconds;
        if (flows[i].dst == sick_) {
            now.sick_bps += bps;
        } else if (flows[i].src != sick_) {
            now.healthy_bps += bps;
            now.flows_moving += frames != 0 ? 1U : 0U;
            now.delivered += all[i];
        }
    }
}

std::vector<std::uint64_t> FabricWatch::delivered() const
{
    std::vector<std::uint64_t> frames(twin_.setup().flows.size());
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        frames[i] = twin_.flow(i).delivered;
    }
    return frames;
}

}  // namespace petrel::demo
