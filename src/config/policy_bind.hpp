// Binds a policy file to devices: port names become port indices. bind_ports() fails if a port does not exist. The
// other functions do not: the service watches the ports that exist and reports the missing ones.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/policy_file.hpp"
#include "watchdog/observation.hpp"
#include "watchdog/policy.hpp"

namespace petrel::config {

// One policy book for each device. Resolves the port names and stores the roles of ports in the inventories. If a port
// is on none of the devices, the inventories stay unchanged.
Parsed<std::vector<watchdog::PolicyBook>> bind_ports(const PolicyFile&, std::span<watchdog::Inventory* const> devices);

// The policy book of one device. Stores the roles of its ports in the inventory. Ports that it does not have are left
// out.
watchdog::PolicyBook bind_device(const PolicyFile&, watchdog::Inventory&, std::string_view name = {});

struct DeviceRows {
    std::string device;  // its name
    watchdog::Inventory inventory;
};

// The policies of the file that would watch no row of any of the devices, by their position.
std::vector<std::size_t> idle_policies(const PolicyFile&, std::span<const DeviceRows>);

struct UnwatchedPorts {
    std::size_t policy{};  // its position in the file
    std::vector<std::string> ports;
    bool operator==(const UnwatchedPorts&) const = default;
};

// The ports that a policy for server-facing ports names, and that are not known to face a server: it does not watch
// them.
std::vector<UnwatchedPorts> unwatched_ports(const PolicyFile&, std::span<const DeviceRows>);

// The ports that the file names but none of the devices has.
std::vector<Complaint> unknown_ports(const PolicyFile&, std::span<const watchdog::Inventory* const> devices);

}  // namespace petrel::config
