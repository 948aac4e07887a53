// The parts of a scenario file, each read by a file of its own. All of them go on after a problem, so that every
// problem is told; what they leave behind then is of no use. For the .cpp files of codec only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codec/scenario_names.hpp"
#include "codec/scenario_section.hpp"
#include "scenario/scenario.hpp"

namespace petrel::codec {

std::optional<topology::Topology> read_topology(Section& top);
// Further names of ports, into the topology that the names are of.
void read_ports(Section& top, ScenarioNames&, scenario::Scenario&);
// What the switches' own hardware looks for, by switch profile.
std::vector<scenario::HardwareDetectors> read_profiles(Section& top, ScenarioNames&, twin::Setup&);
void read_traffic(Section& top, ScenarioNames&, scenario::Scenario&);
// After the watches: an agent's faults want an agent.
void read_faults(Section& top, ScenarioNames&, scenario::Scenario&);
void read_manager(Section& top, scenario::Scenario&);
// One table of a policy, for each of the devices; none if something is wrong with it. `own` are keys that the caller
// reads.
std::vector<watchdog::PolicyBook> read_policy(TomlText&, const ScenarioNames&, const toml::table&,
                                              std::span<const std::string_view> own,
                                              std::span<const topology::NodeId> devices);
void read_watches(Section& top, ScenarioNames&, std::span<const scenario::HardwareDetectors>, scenario::Scenario&);
// Last: it names what the others read.
void read_expectations(Section& top, ScenarioNames&, scenario::Scenario&);

}  // namespace petrel::codec
