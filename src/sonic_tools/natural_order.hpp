// Names in the order people expect, which is also that of SONiC's tools: Ethernet4 before Ethernet12 before
// Ethernet-BP0.
#pragma once

#include <string_view>

namespace petrel::sonic_tools {

bool naturally_before(std::string_view a, std::string_view b);

}  // namespace petrel::sonic_tools
