// Commands of operators for agents, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "fleet/rollout.hpp"

namespace petrel::fleet {

// Which agents get a command. Each list that is not empty restricts the choice further.
struct Selection {
    bool all{};
    std::vector<std::string> agents{};
    std::vector<std::string> racks{};
    std::vector<std::string> roles{};
    std::vector<std::string> devices{};  // the agents of these devices
    bool empty() const { return !all && agents.empty() && racks.empty() && roles.empty() && devices.empty(); }
    bool operator==(const Selection&) const = default;
};

// What an operator wants.
struct Order {
    std::string request;  // a line of docs/agent-commands.md
    std::string what;     // the same for people: "release Ethernet4:3"
    bool reads{};         // it changes nothing
    Selection selection;
    std::size_t canary{};
    unsigned then_percent{100};
    Duration watch{std::chrono::seconds{30}};
    Duration within{std::chrono::seconds{30}};  // agents may begin it so long after it was sent
    bool dry_run{};
    bool operator==(const Order&) const = default;
};

// A command on its way to an agent.
struct Delivery {
    std::uint64_t id{};
    std::string by;
    std::string request;
    Duration within{};
    bool operator==(const Delivery&) const = default;
};

// What an agent reports about one.
struct CommandResult {
    std::uint64_t id{};
    bool good{};
    std::string answer;  // the line of the agent
    bool operator==(const CommandResult&) const = default;
};

struct ShownCommand {
    std::string agent;
    std::size_t wave{};  // from 1
    bool sent{};
    CommandState state{};
    std::string answer;  // a line of JSON; empty: none yet
};

struct ShownRollout {
    std::uint64_t id{};  // 0: a dry run
    WallTime at{};
    std::string by;
    std::string what;
    Rollout::State state{};
    std::string why;  // it is stopped
    std::vector<ShownCommand> commands;
};

// What the manager's file states about an agent.
struct AgentPlace {
    std::string agent;
    std::string rack;
    std::string role;
    bool operator==(const AgentPlace&) const = default;
};

}  // namespace petrel::fleet
