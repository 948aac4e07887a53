// `pfcstat`: PFC frames and pause time, by port and priority.
#pragma once

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const Command& pfcstat();

}  // namespace petrel::sonic_tools
