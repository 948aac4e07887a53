// The policies of all devices, independent of their source: a file, the NOS or a scenario.
#pragma once

#include <string_view>

#include "watchdog/policy.hpp"

namespace petrel::runner {

class Policies {
public:
    virtual ~Policies() = default;

    // The policies of one device. Maps the names of ports to the inventory, and writes the ports' roles into it.
    virtual watchdog::PolicyBook bind(watchdog::Inventory&, std::string_view device) const = 0;
    virtual bool same_as(const Policies&) const = 0;
};

}  // namespace petrel::runner
