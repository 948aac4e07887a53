// The policies of a policy file or of another source, such as a switch's own tables, as data. Ports have names here, so
// one set of policies serves many devices. policy_bind.hpp binds it to devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/complaint_list.hpp"
#include "base/ids.hpp"
#include "watchdog/policy.hpp"

namespace petrel::config {

struct PortName {
    std::string name;
    Place at;
    bool operator==(const PortName&) const = default;
};

struct PolicyEntry {
    watchdog::Policy policy;
    std::vector<PortName> ports;                                      // empty = all
    std::vector<std::pair<Priority, watchdog::Policy>> per_priority;  // the complete policy of a priority that differs
    std::string device{};                                             // the device of these ports; empty = any device
    bool operator==(const PolicyEntry&) const = default;
};

// What the file states about one port.
struct PortEntry {
    PortName port;
    std::optional<bool> host_facing{};
    std::string xname{};  // empty = none
    std::optional<std::uint32_t> number{};
    std::string neighbour{};  // "DEVICE:PORT" at the other end; empty = not stated
    bool operator==(const PortEntry&) const = default;
};

// A port whose peer is a server, as the source of the policies knows it.
struct ServerPort {
    std::string port;
    std::string device{};  // empty = any device
    bool operator==(const ServerPort&) const = default;
};

// What is connected to a port, as the source of the policies knows it.
struct PortNeighbour {
    std::string port;
    std::string far_device;
    std::string far_port;
    std::string device{};  // of the port; empty = any device
    bool operator==(const PortNeighbour&) const = default;
};

struct PolicyFile {
    std::string file;
    std::uint32_t max_mitigated{};  // zero = no limit
    bool big_red_switch{};
    std::vector<PolicyEntry> policies;
    std::vector<PortEntry> ports;
    std::vector<ServerPort> server_ports{};   // a role in `ports` wins
    std::vector<PortNeighbour> neighbours{};  // a neighbour in `ports` wins
    bool operator==(const PolicyFile&) const = default;
};

}  // namespace petrel::config
