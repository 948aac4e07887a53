// `pfcstat`: PFC frames by port and priority, and how long they paused it.
#pragma once

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const Command& pfcstat();

}  // namespace petrel::sonic_tools
