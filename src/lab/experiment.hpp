// A scenario being run: the twin, the agents on its devices, the faults on its agenda. Simulated time only; whoever
// wants it paced by a clock runs it piece by piece, which changes nothing.
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
#include "scenario/scenario.hpp"
#include "scenario/summary.hpp"
#include "twin/twin.hpp"

namespace petrel::lab {

// An event, and what it takes to put it into words. Points into the experiment.
struct Heard {
    scenario::NodeId node;
    std::string_view device;
    const watchdog::Watchlist* watchlist{};
    const watchdog::Event* event{};
};

class Experiment {
public:
    // Complains where a policy asks for what its device cannot tell.
    static Parsed<std::unique_ptr<Experiment>> make(scenario::Scenario, twin::Peers* = nullptr);

    void run_until(twin::Ps end);

    // Between two pieces of the run, when everything before that moment has happened: the only time at which somebody
    // may look at all nodes. Looks of one moment come in the order in which they were asked for.
    void look_at(twin::Ps when, std::function<void()> look) { looks_.emplace(when, std::move(look)); }

    // What the agents of this process said since this was last asked, in the order of time. Valid until the next run.
    std::vector<Heard> news();
    std::vector<Heard> events() const;  // all of it

    // Queues that are mitigated by the agents of these nodes; none = all.
    std::uint64_t mitigated(const std::vector<scenario::NodeId>&) const;

    // What an end of a link says, and what is logged of it; none: it never went down.
    std::optional<scenario::LinkEndStory> link_story(const topology::End&) const;

    scenario::Summary summary() const;
    const scenario::Scenario& scenario() const { return scenario_; }
    twin::Twin& twin() { return *twin_; }
    const twin::Twin& twin() const { return *twin_; }
    std::vector<std::string> notes() const;  // where what is watched differs from what was asked for

private:
    struct Post {
        scenario::NodeId node;
        std::unique_ptr<AgentInTwin> agent;
        std::size_t heard{};  // of its events
    };

    Experiment(scenario::Scenario, std::unique_ptr<twin::Twin>);
    std::vector<Complaint> post_agents();
    void reboot_agents();
    Heard heard(const Post&, std::size_t event) const;

    scenario::Scenario scenario_;
    std::unique_ptr<twin::Twin> twin_;
    std::vector<Post> posts_;
    std::unique_ptr<LinkLog> links_;
    std::multimap<twin::Ps, std::function<void()>> looks_;
};

}  // namespace petrel::lab
