// What all commands share: the ASICs that a command works on, the users that may change something, the ports of an ASIC
// and the ports that an operator means.
//
// Most switches have one ASIC, and it has no namespace. On a switch with several ASICs a command works on each of them,
// unless -n names one.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sonic_tools/arguments.hpp"
#include "sonic_tools/grammar.hpp"
#include "sonic_tools/json_document.hpp"
#include "sonic_tools/surroundings.hpp"
#include "sonic_tools/tables.hpp"

namespace petrel::sonic_tools {

class Desk {
public:
    Desk(const Surroundings&, const Invocation&);

    const Surroundings& around;
    const Where where;
    const Command& command;
    const std::string path;  // of the command, for usage errors

    // The ASICs that the command works on, in the order of SONiC's file. A namespace that does not exist is a usage
    // error.
    std::vector<Tables>& asics();
    bool asic_is_named() const { return wanted_.has_value(); }  // by -n
    void ignore_named_asic();                                   // asics() are all of them then
    bool tables_are_agents() const { return around.agent_keeps_tables(where); }

    // Writes the changes of all ASICs. If an ASIC fails, the error lists the ASICs that are changed and those that are
    // not.
    void write_changes();
    std::string notes() const;

private:
    std::optional<std::string> wanted_;  // by -n
    std::vector<Tables> asics_;          // empty: not read yet
};

inline constexpr std::string_view kNeedsRoot = "Root privileges are required for this operation";

// Ends the command if the user may not change anything.
void need_writer(const Desk&, std::string_view complaint = kNeedsRoot);
// Before a command changes CONFIG_DB: waits until each ASIC's is filled; if one stays empty, the command ends.
void need_configurable(Desk&, std::string_view complaint = kNeedsRoot);

Option namespace_option(std::vector<std::string_view> names = {"--namespace", "-n"});
Option display_option();
Option json_option();

// Front ports are the ports that leave the box.
enum class Display : std::uint8_t { frontend, all };
// By -d; the default is SONiC's: all ports on a switch with one ASIC, front ports on a switch with several.
Display display(const Given&, Desk&);
// Front ports are on front-end ASICs only: of several ASICs the others are left out, unless -n names one.
std::vector<Tables*> shown_asics(Desk&, Display);

// Names of COUNTERS_PORT_NAME_MAP with their object ids, in natural order.
std::vector<std::pair<std::string, std::string>> named_ports(Tables&, Display);
std::vector<std::string> physical_ports(Tables&, Display);  // of those, the ones a watchdog can watch
// Of these names of ports or queues ("Ethernet0:3"), those whose port is shown; in natural order.
std::vector<std::string> only_shown(Tables&, std::vector<std::string> names, Display);

// Ports or queues of one ASIC.
template <class T>
struct OfAsic {
    Tables* tables{};
    std::vector<T> items;
};

// By ASIC, the ports that the operator means: all ports that `known` has for the ASIC, or the wanted ones of them. A
// name that no ASIC has ends the command.
using KnownPorts = std::function<std::vector<std::string>(Tables&)>;
std::vector<OfAsic<std::string>> meant_ports(const std::vector<Tables*>&, const std::vector<std::string>& wanted,
                                             const KnownPorts& known);
// The same on all ASICs, with all physical ports.
std::vector<OfAsic<std::string>> meant_ports(Desk&, const std::vector<std::string>& wanted);

// The first members of a JSON document about an ASIC: its namespace, if it has one.
Members json_head(const Tables&);

// The name means a queue if it is the queue's own name or that of its port.
bool means(std::string_view name, std::string_view queue);
std::string port_of(const std::string& queue);

// An unknown name ends the command; the error suggests the known name with the most similar spelling.
void need_known(std::span<const std::string> names, std::span<const std::string> known);
// No name, or "all" among them.
bool means_all(std::span<const std::string> names);

}  // namespace petrel::sonic_tools
