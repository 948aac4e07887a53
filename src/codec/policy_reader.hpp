// Reads a policy file (TOML) and binds it to devices. A file speaks of ports by name, so one file serves many devices;
// only bind_ports() knows them. The format: docs/policy-file.md. Ranges live with the policies, not here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "codec/complaint_list.hpp"
#include "watchdog/policy.hpp"

namespace petrel::codec {

struct PortName {
    std::string name;
    Place at;
    bool operator==(const PortName&) const = default;
};

struct PolicyEntry {
    watchdog::Policy policy;
    std::vector<PortName> ports;                                      // empty = all
    std::vector<std::pair<Priority, watchdog::Policy>> per_priority;  // what differs for one priority, complete
    std::string device{};                                             // whose ports these are; empty = any device's
    bool operator==(const PolicyEntry&) const = default;
};

struct PortRole {
    PortName port;
    bool host_facing{};
    bool operator==(const PortRole&) const = default;
};

struct PolicyFile {
    std::string file;
    std::uint32_t max_mitigated{};  // zero = no limit
    bool big_red_switch{};
    std::vector<PolicyEntry> policies;
    std::vector<PortRole> roles;
    bool operator==(const PolicyFile&) const = default;
};

Parsed<PolicyFile> read_policy_file(std::string_view text, std::string_view file);

// One book for each device. Finds the ports and notes their roles in the inventories, which are left alone if a port is
// on none of the devices.
Parsed<std::vector<watchdog::PolicyBook>> bind_ports(const PolicyFile&, std::span<watchdog::Inventory* const> devices);

}  // namespace petrel::codec
