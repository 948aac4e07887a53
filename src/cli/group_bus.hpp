// The servers that the managers of a group share, from the flags of `petrel manager`.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "bus/bus.hpp"
#include "cli/manager_command.hpp"

namespace petrel::cli {

Result<std::shared_ptr<bus::Bus>> group_bus(const ManagerOptions&);

}  // namespace petrel::cli
