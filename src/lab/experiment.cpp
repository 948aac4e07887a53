#include "lab/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lab/agent_faults.hpp"

namespace petrel::lab {

namespace {

constexpr twin::Ps kBootTakes = twin::kMs;  // of a NIC's micro-controller

// Sorts by time, device and sequence number, so that the order of threads does not matter.
void in_order(std::vector<AgentEvent>& events)
{
    std::sort(events.begin(), events.end(), [](const AgentEvent& a, const AgentEvent& b) {
        return std::tie(a.event->at, a.device, a.event->seq) < std::tie(b.event->at, b.device, b.event->seq);
    });
}

// The number of an event's port in the topology. An inventory from which a port was removed has other numbers.
std::uint16_t port_in(const topology::Node& node, const watchdog::Inventory& inventory, const watchdog::Event& event)
{
    const auto number = event.target.port.index;
    if (number >= inventory.ports.size()) {
        return number;
    }
    const auto there = std::ranges::find(node.ports, inventory.ports[number].name, &PortNames::name);
    return static_cast<std::uint16_t>(there - node.ports.begin());
}

}  // namespace

using scenario::Scenario;

Experiment::Experiment(Scenario scenario, std::unique_ptr<twin::Twin> twin)
    : scenario_(std::move(scenario)),
      twin_(std::move(twin)),
      links_(std::make_unique<LinkLog>(*twin_, scenario_.manager_sweep))
{}

Parsed<std::unique_ptr<Experiment>> Experiment::make(Scenario scenario, twin::Peers* peers)
{
    auto twin = twin::Twin::build(scenario.setup, peers);
    if (!twin) {
        return tl::unexpected(std::vector{Complaint{scenario.name, 0, 0, twin.error().what, {}}});
    }
    std::unique_ptr<Experiment> made{new Experiment{std::move(scenario), std::move(*twin)}};
    if (made->scenario_.manager && peers == nullptr) {
        made->managers_ = std::make_unique<ManagersInTwin>(*made->twin_, made->scenario_);
        made->run_managers(0);
    }
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

// The agent in a NIC's micro-controller dies when its host reboots and starts again. It has no disk, so it starts
// without memory.
void Experiment::reboot_agents()
{
    for (const auto& fault : scenario_.faults) {
        const auto* reboot = std::get_if<scenario::RebootHost>(&fault.what);
        for (auto& post : posts_) {
            if (reboot != nullptr && post.node == reboot->host) {
                post.agent->kill(fault.at);
                post.agent->start(fault.at + kBootTakes, {scenario::StartAgent::Memory::lost, {}});
            }
        }
    }
}

std::vector<Complaint> Experiment::post_agents()
{
    std::vector<Complaint> complaints;
    const auto complain = [&](scenario::NodeId node, const std::vector<Complaint>& policies) {
        const auto& device = scenario_.setup.topology.nodes[node.value].name;
        for (const auto& complaint : policies) {
            complaints.push_back(
                {scenario_.name, 0, 0, fmt::format("{}: policy {} {}", device, complaint.file, complaint.allowed), {}});
        }
    };
    for (const auto& watch : scenario_.watches) {
        AgentInTwin::Options options{hardware_of(scenario_, watch.node), {}, {}, scenario_.hang_after};
        if (managers_) {
            options.reporting = managers_->reporting(watch.node);
        }
        auto agent = AgentInTwin::make(*twin_, watch.node, watch.book, options);
        if (!agent) {
            complain(watch.node, agent.error());
            continue;
        }
        (*agent)->start(0);
        complain(watch.node, schedule(scenario_.agent_faults, watch.node, **agent));
        if (managers_) {
            managers_->add(watch.node, **agent);
        }
        posts_.push_back({watch.node, std::move(*agent), 0});
    }
    return complaints;
}

void Experiment::run_managers(twin::Ps turn)
{
    look_at(turn, [this, turn] {
        managers_->turn();
        run_managers(turn + ManagersInTwin::kTurn);
    });
}

void Experiment::run_until(twin::Ps end)
{
    while (!looks_.empty() && looks_.begin()->first <= end) {
        const auto next = looks_.extract(looks_.begin());
        twin_->run_until(next.key());
        next.mapped()();
    }
    twin_->run_until(end);
}

AgentEvent Experiment::agent_event(const Post& post, std::size_t index) const
{
    const auto& node = scenario_.setup.topology.nodes[post.node.value];
    const auto& list = post.agent->watchlist_of(index);
    const auto& event = post.agent->events()[index];
    return {post.node, node.name, &list, &event, port_in(node, list.inventory, event)};
}

std::vector<AgentEvent> Experiment::new_events()
{
    std::vector<AgentEvent> all;
    for (auto& post : posts_) {
        for (; post.returned < post.agent->events().size(); ++post.returned) {
            all.push_back(agent_event(post, post.returned));
        }
    }
    in_order(all);
    return all;
}

scenario::Summary Experiment::summary() const
{
    auto sum = summarize(scenario_, *twin_);
    sum.links = links_->stories();
    return sum;
}

std::vector<AgentEvent> Experiment::events() const
{
    std::vector<AgentEvent> all;
    for (const auto& post : posts_) {
        for (std::size_t event = 0; event != post.agent->events().size(); ++event) {
            all.push_back(agent_event(post, event));
        }
    }
    in_order(all);
    return all;
}

std::optional<scenario::LinkEndStory> Experiment::link_story(const topology::End& end) const
{
    const auto& node = scenario_.setup.topology.nodes[end.node.value];
    const auto name = fmt::format("{}:{}", node.name, node.ports[end.port].name);
    for (const auto& story : links_->stories()) {
        for (const auto& side : story.ends) {
            if (side.port == name) {
                return side;
            }
        }
    }
    return std::nullopt;
}

std::uint64_t Experiment::mitigated(const std::vector<scenario::NodeId>& nodes) const
{
    std::uint64_t count = 0;
    for (const auto& post : posts_) {
        const auto* agent = post.agent->agent();
        if (agent == nullptr || (!nodes.empty() && std::find(nodes.begin(), nodes.end(), post.node) == nodes.end())) {
            continue;
        }
        const auto rows = static_cast<std::uint32_t>(post.agent->watchlist().rows.size());
        for (std::uint32_t row = 0; row < rows; ++row) {
            count += agent->watchdog().in_effect(Slot{row}) != watchdog::Treatment{} ? 1U : 0U;
        }
    }
    return count;
}

std::uint64_t Experiment::unseen(const std::vector<scenario::NodeId>& nodes) const
{
    std::uint64_t count = 0;
    for (const auto& post : posts_) {
        const auto* runner = post.agent->device_runner();
        if (runner != nullptr && (nodes.empty() || std::ranges::find(nodes, post.node) != nodes.end())) {
            count += runner->report().unseen.size();
        }
    }
    return count;
}

const runner::DeviceRunner* Experiment::device_runner(scenario::NodeId node) const
{
    const auto post = std::ranges::find(posts_, node, &Post::node);
    return post == posts_.end() ? nullptr : post->agent->device_runner();
}

const agent::Agent* Experiment::agent(scenario::NodeId node) const
{
    const auto* runner = device_runner(node);
    return runner == nullptr ? nullptr : runner->agent();
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
