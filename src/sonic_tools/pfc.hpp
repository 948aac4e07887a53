// `pfc`: which priorities of a port are lossless, and whether its PFC is asymmetric.
#pragma once

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const Command& pfc();

}  // namespace petrel::sonic_tools
