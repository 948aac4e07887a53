// The help text of a command, and the names of its parts in that text.
#pragma once

#include <string>
#include <string_view>

#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

std::string_view long_name(const Option&);
std::string shown(const Argument&);    // "DETECTION_TIME", "{enable|disable}"
std::string range_text(const Range&);  // "100<=x<=5000"

// "Usage: pfcwd start [OPTIONS] [PORTS]... DETECTION_TIME"
std::string usage_line(const Command&, std::string_view path);
std::string help_text(const Command&, std::string_view path);

}  // namespace petrel::sonic_tools
