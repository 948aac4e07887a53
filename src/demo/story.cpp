#include "demo/story.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "words/words.hpp"

namespace petrel::demo {
namespace {

using twin::kMs;
using Tone = StoryLine::Tone;

constexpr twin::Ps kRemindEvery = 200 * kMs;  // repeats that nothing moves
constexpr double kFullSpeed = 0.98;           // share of the throughput before the fault

// The steps by which pause spreads through the tiers and recedes.
struct Step {
    std::pair<unsigned, unsigned> tiers;  // the first pauses the second
    std::string_view text;
};
constexpr std::array<Step, 6> kSteps{{
    {{0, 1}, "its buffer is full: {0} pauses its switch {1}, without end"},
    {{1, 2}, "frames for {0} fill {1}, which pauses the spine switches above it"},
    {{2, 3}, "the spine switches fill up as well and pause the core switches"},
    {{3, 2}, "the core switches pause the spine switches of the other pod: it comes down again"},
    {{2, 1}, "spine switches pause leaf switches that have nothing to do with {0}"},
    {{1, 0}, "leaf switches pause their servers, which are healthy and may not send"},
}};

}  // namespace

Story::Story(const lab::Experiment& experiment, const FabricWatch& watch)
    : scenario_(experiment.scenario()), watch_(watch), sick_(scenario_.setup.topology.nodes[watch.sick().value].name)
{
    const auto& topology = scenario_.setup.topology;
    for (const auto& link : topology.links) {
        for (const std::size_t end : {0U, 1U}) {
            if (link.ends[end].node == watch.sick()) {
                its_switch_ = topology.nodes[link.ends[1 - end].node.value].name;
            }
        }
    }
    for (const auto& node : topology.nodes) {
        ++(node.tier == 0 ? healthy_ : switches_);
    }
    --healthy_;
}

std::vector<StoryLine> Story::update(const FabricNow& now, const std::vector<lab::AgentEvent>& events)
{
    add_faults(now);
    add_spreading(now);
    for (const auto& reported : events) {
        add_event(reported);
    }
    add_recovery(now);
    shown_up_to_ = now.at;
    return std::exchange(lines_, {});
}

void Story::add_faults(const FabricNow& now)
{
    for (const auto& fault : scenario_.faults) {
        if (fault.at <= shown_up_to_ || fault.at > now.at) {
            continue;
        }
        if (std::holds_alternative<scenario::StopPipeline>(fault.what)) {
            full_bps_ = now.healthy_bps;
            add(Tone::plain,
                fmt::format("all is well: {} of {} flows between {} servers move, {} of {} ports are paused",
                            now.flows_moving, watch_.healthy_flows(), healthy_, now.ports_paused, watch_.ports()));
            add(Tone::bad,
                fmt::format("the network card of server {} breaks: its link is up, but it receives nothing", sick_));
        } else if (std::holds_alternative<scenario::RebootHost>(fault.what)) {
            add(Tone::plain, fmt::format("an operator reboots {}. Frames lost: {} at its port, {} elsewhere", sick_,
                                         now.lost_at_sick, now.lost_elsewhere));
        }
    }
}

void Story::add_spreading(const FabricNow& now)
{
    for (const auto& [tiers, text] : kSteps) {
        if (now.pauses.contains(tiers) && spread_.insert(tiers).second) {
            add(Tone::bad, fmt::format(fmt::runtime(text), sick_, its_switch_));
        }
    }
    if (!all_paused_ && now.servers_paused == healthy_) {
        all_paused_ = true;
        add(Tone::bad, fmt::format("{} of {} healthy servers are paused", healthy_, healthy_));
    }
    if (now.flows_moving != 0 || !all_paused_) {
        return;
    }
    if (!frozen_) {
        frozen_ = true;
        const auto standing = now.standing(1) + now.standing(2) + now.standing(3);
        add(Tone::bad,
            fmt::format("nothing moves between healthy servers: {} of {} stand still, and {} of {} switches{}",
                        now.standing(0), healthy_, standing, switches_,
                        standing == switches_ ? "" : fmt::format("; the others carry what {} sends", sick_)));
    } else if (now.at % kRemindEvery == 0 && now.at != scenario_.duration) {
        add(Tone::plain, fmt::format("still {} of {} flows move. Frames lost: {}. Only {} is broken", now.flows_moving,
                                     watch_.healthy_flows(), now.lost_at_sick + now.lost_elsewhere, sick_));
    }
}

void Story::add_event(const lab::AgentEvent& reported)
{
    const auto& event = *reported.event;
    const bool begins = begins_storm(event.kind);
    const auto tone = begins ? Tone::bad : Tone::good;
    const auto add_line = [&](Tone how, std::string text) { lines_.push_back({how, std::move(text), event.at}); };
    add_line(tone, fmt::format("petrel: {} at {}:{}", name(event.kind), reported.device,
                               to_string(reported.watchlist->inventory, event.target)));
    add_line(tone, "  because: " + evidence_text(event, *reported.watchlist));
    if (begins) {
        add_line(Tone::plain, fmt::format("  so {} ignores the pause of {}, and discards frames for it and from it",
                                          reported.device, sick_));
    } else if (ends_storm(event.kind)) {
        add_line(Tone::plain,
                 fmt::format("  so {} serves {} like all others again, without loss", reported.device, sick_));
    }
}

void Story::add_recovery(const FabricNow& now)
{
    if (frozen_ && !free_ && now.servers_paused == 0) {
        free_ = true;
        add(Tone::good, fmt::format("all {} healthy servers may send again", healthy_));
    }
    if (free_ && full_speed_at_ == 0 && now.healthy_bps >= kFullSpeed * full_bps_) {
        full_speed_at_ = now.at;
        add(Tone::good, fmt::format("{} of {} flows between healthy servers move, at full speed", now.flows_moving,
                                    watch_.healthy_flows()));
    }
    if (free_ && !pause_over_ && now.ports_paused == 0) {
        pause_over_ = true;
        add(Tone::good, fmt::format("{} has stopped pausing", sick_));
    }
}

StoryLine Story::ending(const FabricNow& now) const
{
    if (now.flows_moving == 0) {
        return {Tone::bad, fmt::format("this lasts until an operator finds {} among all that stand still", sick_), {}};
    }
    return {Tone::good,
            fmt::format("{} of {} flows move, and {} gets {:.0f} Mb/s again", now.flows_moving, watch_.healthy_flows(),
                        sick_, now.sick_bps / 1e6),
            {}};
}

void Story::add(Tone tone, std::string text) { lines_.push_back({tone, std::move(text), {}}); }

}  // namespace petrel::demo
