// One [[fault]] while it is read, and the list of kinds. Faults of the fabric, of links, of agents and of managers are
// in one file each. For the .cpp files of codec/scenario only.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/scenario/names.hpp"
#include "codec/scenario/section.hpp"
#include "scenario/scenario.hpp"

namespace petrel::codec {

struct FaultTable {
    Section& section;
    ScenarioNames& names;
    scenario::Scenario& into;
    scenario::Ps at{};

    void add(decltype(scenario::Fault::what) what, scenario::Ps later = 0)
    {
        into.faults.push_back({at + later, std::move(what)});
    }

    // Each adds a complaint if the key is missing or names something that does not exist.
    std::vector<scenario::NodeId> hosts();       // `host`
    std::vector<scenario::NodeId> switches();    // `switch`
    std::optional<topology::End> port();         // `port`
    std::optional<topology::End> switch_port();  // `port`, which must be a switch's
    std::optional<std::uint32_t> link();         // `link`
};

struct FaultKind {
    std::string_view name;
    void (*read)(FaultTable&);
};

std::span<const FaultKind> fabric_fault_kinds();
std::span<const FaultKind> link_fault_kinds();
std::span<const FaultKind> agent_fault_kinds();
std::span<const FaultKind> manager_fault_kinds();

}  // namespace petrel::codec
