// Where a command does its work, and what all commands have in common: who may change something, which ports there
// are, which of them were meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sonic_tools/arguments.hpp"
#include "sonic_tools/grammar.hpp"
#include "sonic_tools/surroundings.hpp"
#include "sonic_tools/tables.hpp"

namespace petrel::sonic_tools {

struct Desk {
    const Surroundings& around;
    Where where;
    const Command& command;
    std::string path;  // of the command, for usage errors
    Tables tables;

    bool tables_are_agents() const { return around.agent_keeps_tables(where); }
};

inline constexpr std::string_view kNeedsRoot = "Root privileges are required for this operation";

// Those who may not change anything are stopped.
void need_writer(const Desk&, std::string_view complaint = kNeedsRoot);
// Before anything is changed in CONFIG_DB: waits until it is filled; if it stays empty, the command ends.
void need_configurable(Desk&, std::string_view complaint = kNeedsRoot);

// Of a switch with one ASIC there is one namespace, and it has no name.
Option namespace_option(std::vector<std::string_view> names = {"--namespace", "-n"});
Option display_option();
Option json_option();

// Ports that leave the box; else all that have a name. On one ASIC, SONiC's pfcwd shows all unless it is told
// otherwise.
enum class Display : std::uint8_t { frontend, all };
Display display(const Given&);

// Names of COUNTERS_PORT_NAME_MAP with their object ids, in natural order.
std::vector<std::pair<std::string, std::string>> named_ports(Tables&, Display);
std::vector<std::string> physical_ports(Tables&, Display);  // of those, the ones a watchdog can watch
// The keys of a map by name of port or queue ("Ethernet0:3"): only of ports that are to be seen.
std::vector<std::string> only_shown(Tables&, std::vector<std::string> names, Display);

// A queue was meant by its own name or by that of its port.
bool means(std::string_view name, std::string_view queue);
std::string port_of(const std::string& queue);

// Names that are not among the known ones end the command; a known one that is spelt nearly so is named.
void need_known(std::span<const std::string> names, std::span<const std::string> known);
// No name, or "all" among them.
bool means_all(std::span<const std::string> names);

}  // namespace petrel::sonic_tools
