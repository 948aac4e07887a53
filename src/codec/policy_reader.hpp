// Reads a policy file (TOML) and binds it to devices. The file names ports, so one file serves many devices; only
// bind_ports() needs the devices. The format: docs/policy-file.md. The allowed ranges are in watchdog/, not here.
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
    std::vector<std::pair<Priority, watchdog::Policy>> per_priority;  // the complete policy of a priority that differs
    std::string device{};                                             // the device of these ports; empty = any device
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

// One policy book for each device. Resolves the port names and stores the roles of ports in the inventories. If a port
// is on none of the devices, the inventories stay unchanged.
Parsed<std::vector<watchdog::PolicyBook>> bind_ports(const PolicyFile&, std::span<watchdog::Inventory* const> devices);

}  // namespace petrel::codec
