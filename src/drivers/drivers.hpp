// All drivers that petrel was built with.
#pragma once

#include <memory>
#include <vector>

#include "daemon/driver.hpp"

namespace petrel::drivers {

std::vector<std::unique_ptr<daemon::Driver>> make_drivers();

}  // namespace petrel::drivers
