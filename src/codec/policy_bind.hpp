// Binds a policy file to devices: port names become port indices. bind_ports() (policy_reader) fails if a port does not
// exist. These functions do not: the service watches the ports that exist and reports the missing ones.
#pragma once

#include <span>
#include <vector>

#include "codec/policy_reader.hpp"
#include "watchdog/observation.hpp"

namespace petrel::codec {

// The policy book of one device. Stores the roles of its ports in the inventory. Ports that it does not have are left
// out.
watchdog::PolicyBook bind_device(const PolicyFile&, watchdog::Inventory&, std::string_view name = {});

// The ports that the file names but none of the devices has.
std::vector<Complaint> unknown_ports(const PolicyFile&, std::span<const watchdog::Inventory* const> devices);

}  // namespace petrel::codec
