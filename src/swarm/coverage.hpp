// Which faults met agents in which states: the pairs of a phase and a kind of fault that runs have covered.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "scenario/scenario.hpp"
#include "watchdog/checkpoint.hpp"

namespace petrel::swarm {

class Coverage {
public:
    void add(watchdog::Phase phase, std::string_view kind) { pairs_.emplace(kind, phase); }
    void add(const Coverage& more) { pairs_.insert(more.pairs_.begin(), more.pairs_.end()); }

    std::size_t covered() const { return pairs_.size(); }
    static std::size_t possible();

private:
    std::set<std::pair<std::string_view, watchdog::Phase>> pairs_;  // the names of the kinds are static
};

// The kind of a fault, as in a scenario file: "kill-agent", or with what matters of it, "start-agent torn".
std::string_view kind_of(const scenario::AgentFault&);
std::string_view kind_of(const scenario::Fault&);
std::string_view kind_of(const scenario::ManagerFault&);

}  // namespace petrel::swarm
