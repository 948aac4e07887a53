// `pfcwd`: shows and configures the PFC watchdog of SONiC. The grammar is in pfcwd.cpp, the commands are in
// pfcwd_*.cpp.
#pragma once

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const Command& pfcwd();

}  // namespace petrel::sonic_tools
