// Names in the order people expect: Ethernet4 before Ethernet12.
#pragma once

#include <string_view>

namespace petrel::sonic_tools {

bool naturally_before(std::string_view a, std::string_view b);

}  // namespace petrel::sonic_tools
