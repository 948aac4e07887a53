// `mmuconfig`: shows the buffer pools and profiles of a switch, and changes thresholds and trimming of a profile.
#pragma once

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const Command& mmuconfig();

}  // namespace petrel::sonic_tools
