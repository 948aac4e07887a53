// What is configured for devices, apart from where it comes from: a file, the network operating system, a scenario.
#pragma once

#include <string_view>

#include "watchdog/policy.hpp"

namespace petrel::runner {

class Policies {
public:
    virtual ~Policies() = default;

    // The policies of one device. Names of ports become numbers of its inventory; the roles of ports are noted in it.
    virtual watchdog::PolicyBook bind(watchdog::Inventory&, std::string_view device) const = 0;
    virtual bool same_as(const Policies&) const = 0;
};

}  // namespace petrel::runner
