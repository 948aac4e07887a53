// `pfcwd`: the PFC watchdog of SONiC, shown and configured. Its grammar is in pfcwd.cpp, what the commands do in
// pfcwd_*.cpp.
#pragma once

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const Command& pfcwd();

}  // namespace petrel::sonic_tools
