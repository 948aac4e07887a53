// A command for many agents: which of them get it now. With a canary, a few get it first; each further wave begins when
// the one before has succeeded and nothing has raised an alarm for a while. The first alarm stops the roll-out: the
// agents of later waves never get the command.
//
//   sending ──all of a wave succeeded──▶ watching ──quiet for `watch`──▶ sending (the next wave) or done
//      └───────an alarm─────────────────────┴──▶ stopped
//
// A pure state machine. A roll-out with a single wave ends with it, whatever its results are: there is nothing to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace petrel::fleet {

struct RolloutPlan {
    std::vector<std::string> agents;  // in the order in which they get the command
    std::size_t canary{};             // how many are in the first wave; 0 = all
    unsigned then_percent{100};       // of all agents, in each further wave; at least one agent
    Duration watch{};                 // how long a wave is watched before the next one
    bool operator==(const RolloutPlan&) const = default;
};

std::vector<std::vector<std::string>> waves(const RolloutPlan&);

// Of the command for one agent. `expired`: no result came before its deadline, so it is not known whether it was
// executed; the agent does not begin it any more.
enum class CommandState : std::uint8_t { waiting, done, failed, expired };
std::string_view name(CommandState);

class Rollout {
public:
    enum class State : std::uint8_t { running, done, stopped };

    // `sent`: the agents that got the command from an earlier process. Waves are sent whole.
    explicit Rollout(RolloutPlan, std::map<std::string, CommandState> sent = {});

    // The agents that get the command now. Call it after each input and at wake().
    std::vector<std::string> next(Instant now);
    Instant wake() const { return wake_; }

    void result(const std::string& agent, CommandState);
    void alarm(std::string why);  // on a device of an agent that reached() has

    bool reached(const std::string& agent) const { return sent_.contains(agent); }
    State state() const { return state_; }
    const std::string& why() const { return why_; }  // it is stopped
    const RolloutPlan& plan() const { return plan_; }

private:
    bool any(CommandState) const;

    RolloutPlan plan_;
    std::vector<std::vector<std::string>> waves_;
    std::size_t released_{};  // waves
    std::map<std::string, CommandState> sent_;
    Instant wake_{kNever};
    State state_{};
    std::string why_;
};

std::string_view name(Rollout::State);

}  // namespace petrel::fleet
