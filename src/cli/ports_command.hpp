// `petrel ports`: the ports of the fabric as the manager sees them, and their errors.
#pragma once

#include <string>

#include "cli/manager_client.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct PortsOptions {
    ManagerAccess manager;
    bool errors{};       // only ports with an open error
    std::string device;  // empty: all
    bool json{};
};

ExitCode run_ports(const PortsOptions&);

}  // namespace petrel::cli
