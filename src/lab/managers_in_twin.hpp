// The fabric managers of a scenario, and the network between them and the agents, which loses, doubles and delays
// messages. All agents report to the manager in use.
//
// Contract: an agent sends in a call on its own node. Everything else happens between two pieces of the run, in turns:
// a message that is not delayed arrives at the next turn. So the same scenario gives the same result with any number of
// threads. A NIC is reached over its own link: while that is down, its messages are lost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lab/agent_in_twin.hpp"
#include "lab/manager_history.hpp"
#include "lab/manager_in_twin.hpp"
#include "scenario/scenario.hpp"
#include "twin/twin.hpp"

namespace petrel::lab {

class ManagersInTwin {
public:
    static constexpr twin::Ps kTurn = 2 * twin::kMs;

    // The scenario must have a manager.
    ManagersInTwin(twin::Twin&, const scenario::Scenario&);

    // How the agent of this node reports. It must be added before the run.
    Reporting reporting(scenario::NodeId);
    void add(scenario::NodeId, AgentInTwin&);

    void turn();

    // Null: no process of the manager in use runs.
    const manager::Manager* in_use() const;
    const ManagerInTwin& manager() const { return managers_[used_]; }

    struct Agent {
        scenario::NodeId node;
        AgentInTwin* agent{};
        std::map<std::size_t, twin::Ps> heard;  // by manager, when its process took the last report of the device
    };
    const std::vector<Agent>& agents() const { return agents_; }

    // What the manager in use shows and has. A process of it must run.
    bool reports(const std::string& device) const;
    std::optional<twin::Ps> heard_at(const Agent&) const;  // when it took the last report of the device
    HistoryFindings compare_history(const Agent&) const;

private:
    struct Message {
        std::size_t agent{};                          // index
        std::uint64_t number{};                       // of the report, at its agent
        std::size_t manager{};                        // index
        std::optional<runner::ManagerAnswer> answer;  // none: it is a report
        std::string report;
    };
    struct Disturbance {
        scenario::DisturbMessages how;
        std::mt19937_64 random;
        bool concerns(const Message&, scenario::NodeId node) const;
        bool happens() { return random() % 100 < how.percent; }
        twin::Ps late();
    };

    void meet_faults();
    void meet(const scenario::DisturbMessages&);
    void meet(const scenario::KillManager&);
    void meet(const scenario::StartManager&);
    void meet(const scenario::UseManager&);
    void send(Message);
    void deliver_reports();
    void deliver_answers();
    bool reachable(scenario::NodeId) const;
    std::vector<Message> due(bool answers);

    twin::Twin& twin_;
    std::vector<scenario::ManagerFault> faults_;  // to come, in the order of time
    unsigned faster_;
    std::vector<ManagerInTwin> managers_;
    std::size_t used_{};
    std::vector<Agent> agents_;
    std::map<scenario::NodeId, std::vector<Message>> outgoing_;  // of each agent, since the last turn
    std::multimap<twin::Ps, Message> under_way_;                 // by arrival
    std::vector<Disturbance> disturbances_;
    std::map<twin::Ps, ManagerInTwin::Image> copies_;  // of the store of the manager in use, by the time of the copy
};

}  // namespace petrel::lab
