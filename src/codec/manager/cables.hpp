// Reads the file of cables: which port is connected to which.
//
//   [[cable]]
//   ends = ["leaf3:Ethernet20", "gpu-1207:eth2"]
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "fabric/device_state.hpp"

namespace petrel::codec {

Parsed<fabric::Cables> read_cables(std::string_view text, std::string_view file);

}  // namespace petrel::codec
