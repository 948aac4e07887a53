// The path of tshark, if it is installed; ./dev test installs it.
#pragma once

#include <string>

#include "support/find_program.hpp"

namespace petrel::test {

inline std::string tshark() { return find_program("tshark"); }

}  // namespace petrel::test
