// The fabric manager of a scenario, and what happens to it and to its messages, as data. The lab runs it.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "topology/topology.hpp"
#include "twin/sim_time.hpp"

namespace petrel::scenario {

struct ManagerSetup {
    std::uint32_t faster{1};                // agents and managers wait for each other so many times shorter
    std::uint32_t managers{1};              // the agents report to the first one, until UseManager
    std::vector<topology::NodeId> devices;  // have an agent although no policy names them
};

// Reports of agents and the answers to them.
struct DisturbMessages {
    enum class What : std::uint8_t { lose, repeat, delay } what{};  // repeat: it arrives a second time
    enum class Which : std::uint8_t { both, reports, answers } which{};
    std::vector<topology::NodeId> devices;  // of their agents; none = all
    std::uint32_t percent{100};             // of the messages
    Duration takes{};                       // delay, and the second one of repeat: so much later, at most
    std::uint64_t seed{1};
    twin::Ps until{twin::kForever};
};
struct KillManager {
    // After this step of the next report that it takes; `stored`: the agent receives no answer.
    enum class When : std::uint8_t { at_once, taken, stored } when{};
    std::uint32_t manager{};  // by number, from 0
};
struct StartManager {
    // What the process finds: what was stored last, a copy of the store of the manager in use, of an earlier time, or
    // nothing.
    enum class Store : std::uint8_t { kept, copy, lost } store{};
    std::uint32_t manager{};
    twin::Ps copied_at{};
};
struct UseManager {  // the agents report to this one from now on
    std::uint32_t manager{};
};

struct ManagerFault {
    twin::Ps at{};
    std::variant<DisturbMessages, KillManager, StartManager, UseManager> what;
};

}  // namespace petrel::scenario
