// The parts of a scenario file, each read in its own .cpp file. They continue after a problem, so that all problems are
// reported; the result is not usable then. For the .cpp files of codec/scenario only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "codec/scenario/defaults.hpp"
#include "codec/scenario/names.hpp"
#include "codec/scenario/section.hpp"
#include "scenario/scenario.hpp"

namespace petrel::codec {

// Adds the tables of the defaults to those of the scenario; each node keeps its file and line.
void add_defaults(TomlText&, toml::table& scenario, const Defaults&);
std::optional<topology::Topology> read_topology(Section& top);
// Adds further names of ports to the topology.
void read_ports(Section& top, ScenarioNames&, scenario::Scenario&);
// Returns the detectors in the hardware of the switches, by switch profile.
std::vector<scenario::SwitchTraits> read_profiles(Section& top, ScenarioNames&, twin::Setup&);
void read_traffic(Section& top, ScenarioNames&, scenario::Scenario&);
// Called after read_watches and read_manager: a fault of an agent requires that agent.
void read_faults(Section& top, ScenarioNames&, scenario::Scenario&);
// One policy table for each of the devices; empty if the table is invalid. `own`: keys that the caller reads.
std::vector<watchdog::PolicyBook> read_policy(TomlText&, const ScenarioNames&, const toml::table&,
                                              std::span<const std::string_view> own,
                                              std::span<const topology::NodeId> devices);
void read_watches(Section& top, ScenarioNames&, std::span<const scenario::SwitchTraits>, scenario::Scenario&);
// Called after read_watches: adds devices that no policy names.
void read_manager(Section& top, ScenarioNames&, std::span<const scenario::SwitchTraits>, scenario::Scenario&);
// Of a device: those of its profile if it is a switch.
scenario::SwitchTraits traits_of(const topology::Topology&, topology::NodeId,
                                 std::span<const scenario::SwitchTraits> by_profile, const twin::Setup&);
// Called last: expectations refer to the other parts.
void read_expectations(Section& top, ScenarioNames&, scenario::Scenario&);

}  // namespace petrel::codec
