// The lower part of the demo's screen: the fabric at this moment, a character for every server and switch.
#pragma once

#include <string>

#include "cli/demo_fabric.hpp"
#include "cli/terminal.hpp"

namespace petrel::cli {

// `slower`: than life. Always as many lines, each of less than 80 columns.
std::string status_text(const FabricNow&, const FabricWatch&, const lab::Experiment&, double slower, const Paint&);

}  // namespace petrel::cli
