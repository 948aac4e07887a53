// The port of the shared switch on which tests start a storm.
#pragma once

#include <cstdint>

namespace petrel::daemon {

inline constexpr std::uint16_t kPort = 1;

}  // namespace petrel::daemon
