// What can be observed and done at a network interface, with which privilege, and what to change, as text.
#pragma once

#include <string>

#include "device/linux/kernel.hpp"

namespace petrel::cli {

struct HostFacts {
    bool may_set{};  // this process has CAP_NET_ADMIN
    bool lldpad{};   // this LLDP agent runs
};

std::string doctor_text(device::linux_nic::Kernel&, const std::string& interface, const HostFacts&);

}  // namespace petrel::cli
