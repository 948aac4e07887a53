// `mmuconfig`: pools and profiles of a switch's buffers, shown; thresholds of a profile, changed.
#pragma once

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const Command& mmuconfig();

}  // namespace petrel::sonic_tools
