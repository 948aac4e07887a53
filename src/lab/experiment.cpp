#include "lab/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace petrel::lab {

namespace {

constexpr twin::Ps kBootTakes = twin::kMs;  // of a NIC's micro-controller

}  // namespace

using scenario::Scenario;

Experiment::Experiment(Scenario scenario, std::unique_ptr<twin::Twin> twin)
    : scenario_(std::move(scenario)), twin_(std::move(twin))
{}

Parsed<std::unique_ptr<Experiment>> Experiment::make(Scenario scenario, twin::Peers* peers)
{
    auto twin = twin::Twin::build(scenario.setup, peers);
    if (!twin) {
        return tl::unexpected(std::vector{Complaint{scenario.name, 0, 0, twin.error().what, {}}});
    }
    std::unique_ptr<Experiment> made{new Experiment{std::move(scenario), std::move(*twin)}};
    auto complaints = made->post_agents();
    if (!complaints.empty()) {
        return tl::unexpected(std::move(complaints));
    }
    for (const auto& capture : made->scenario_.captures) {
        made->twin_->capture(capture.link, capture.frames);
    }
    schedule(made->scenario_.faults, *made->twin_);
    made->reboot_agents();
    return made;
}

// The watchdog in a NIC's micro-controller goes down with its host, and comes up again.
void Experiment::reboot_agents()
{
    for (const auto& fault : scenario_.faults) {
        const auto* reboot = std::get_if<scenario::RebootHost>(&fault.what);
        for (auto& post : posts_) {
            if (reboot != nullptr && post.node == reboot->host) {
                post.agent->kill(fault.at);
                post.agent->start(fault.at + kBootTakes);
            }
        }
    }
}

std::vector<Complaint> Experiment::post_agents()
{
    std::vector<Complaint> complaints;
    for (const auto& watch : scenario_.watches) {
        AgentInTwin::Options options;
        options.traits.pause_limit = watch.hardware.pause_limit;
        options.traits.deadlock_detect = watch.hardware.deadlock_detect;
        options.traits.deadlock_recover = watch.hardware.deadlock_recover;
        auto agent = AgentInTwin::make(*twin_, watch.node, watch.book, options);
        if (!agent) {
            const auto& device = scenario_.setup.topology.nodes[watch.node.value].name;
            for (const auto& complaint : agent.error()) {
                complaints.push_back({scenario_.name,
                                      0,
                                      0,
                                      fmt::format("{}: policy {} {}", device, complaint.file, complaint.allowed),
                                      {}});
            }
            continue;
        }
        (*agent)->start(0);
        posts_.push_back({watch.node, std::move(*agent), 0});
    }
    return complaints;
}

std::vector<Heard> Experiment::news()
{
    std::vector<Heard> all;
    for (auto& post : posts_) {
        const auto& events = post.agent->events();
        for (; post.heard < events.size(); ++post.heard) {
            all.push_back(
                {scenario_.setup.topology.nodes[post.node.value].name, &post.agent->watchlist(), &events[post.heard]});
        }
    }
    // Posts come by node and events by seq: with those, every order of threads gives the same.
    std::sort(all.begin(), all.end(), [](const Heard& a, const Heard& b) {
        return std::tie(a.event->at, a.device, a.event->seq) < std::tie(b.event->at, b.device, b.event->seq);
    });
    return all;
}

std::vector<std::string> Experiment::notes() const
{
    std::vector<std::string> notes;
    for (const auto& post : posts_) {
        for (const auto& note : post.agent->watchlist().notes) {
            if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
                notes.push_back(note);
            }
        }
    }
    return notes;
}

}  // namespace petrel::lab
