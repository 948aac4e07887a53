// A policy file held against devices: names become numbers. Where everything has to fit, bind_ports() (policy_reader)
// is the one to ask; a service rather watches what is there and says what is missing.
#pragma once

#include <span>
#include <vector>

#include "codec/policy_reader.hpp"
#include "watchdog/observation.hpp"

namespace petrel::codec {

// The book for one device; notes the roles of its ports. Ports that it does not have are left out.
watchdog::PolicyBook bind_device(const PolicyFile&, watchdog::Inventory&, std::string_view name = {});

// The ports that the file names and none of the devices has.
std::vector<Complaint> unknown_ports(const PolicyFile&, std::span<const watchdog::Inventory* const> devices);

}  // namespace petrel::codec
