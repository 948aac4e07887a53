// A running scenario: the twin, the agents on its devices, the scheduled faults. It uses simulated time only. A caller
// that needs wall-clock pace runs it piece by piece, which does not change the run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/agent_in_twin.hpp"
#include "lab/link_log.hpp"
#include "lab/managers_in_twin.hpp"
#include "scenario/scenario.hpp"
#include "scenario/summary.hpp"
#include "twin/twin.hpp"

namespace petrel::lab {

// An event, with the data that its text needs. Points into the experiment.
struct AgentEvent {
    scenario::NodeId node;
    std::string_view device;
    const watchdog::Watchlist* watchlist{};
    const watchdog::Event* event{};
    std::uint16_t
        port{};  // the event's port in the topology; event->target has its number in the watchlist's inventory
};

class Experiment {
public:
    // Fails with complaints if a device's capabilities do not support its policies.
    static Parsed<std::unique_ptr<Experiment>> make(scenario::Scenario, twin::Peers* = nullptr);

    void run_until(twin::Ps end);

    // Registers a call between two pieces of the run, when everything before that time has happened. During a run, only
    // such a call may read all nodes. Calls for the same time run in the order of registration.
    void look_at(twin::Ps when, std::function<void()> look) { looks_.emplace(when, std::move(look)); }

    // The events of this process's agents since the last call, in order of time. Valid until the next run.
    std::vector<AgentEvent> new_events();
    std::vector<AgentEvent> events() const;  // all events

    // The number of queues that the agents of these nodes mitigate; none = all nodes.
    std::uint64_t mitigated(const std::vector<scenario::NodeId>&) const;
    std::uint64_t unseen(const std::vector<scenario::NodeId>&) const;

    // The runner of this node's device, and its agent; null: no process runs now, or it does not watch the device yet.
    const runner::DeviceRunner* device_runner(scenario::NodeId) const;
    const agent::Agent* agent(scenario::NodeId) const;

    // Null: the scenario has no manager.
    const ManagersInTwin* managers() const { return managers_.get(); }

    // The registers and the log of one end of a link; none: the link never went down.
    std::optional<scenario::LinkEndStory> link_story(const topology::End&) const;

    scenario::Summary summary() const;
    const scenario::Scenario& scenario() const { return scenario_; }
    twin::Twin& twin() { return *twin_; }
    const twin::Twin& twin() const { return *twin_; }
    std::vector<std::string> notes() const;  // differences between the configured and the compiled policies

private:
    struct Post {
        scenario::NodeId node;
        std::unique_ptr<AgentInTwin> agent;
        std::size_t returned{};  // number of its events that new_events() has returned
    };

    Experiment(scenario::Scenario, std::unique_ptr<twin::Twin>);
    std::vector<Complaint> post_agents();
    void reboot_agents();
    void run_managers(twin::Ps turn);
    AgentEvent agent_event(const Post&, std::size_t index) const;

    scenario::Scenario scenario_;
    std::unique_ptr<twin::Twin> twin_;
    std::unique_ptr<ManagersInTwin> managers_;
    std::vector<Post> posts_;
    std::unique_ptr<LinkLog> links_;
    std::multimap<twin::Ps, std::function<void()>> looks_;
};

}  // namespace petrel::lab
