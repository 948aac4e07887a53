// The lower part of the demo's screen: the present state of the fabric, one character for each server and switch.
#pragma once

#include <string>

#include "demo/fabric.hpp"
#include "terminal/terminal.hpp"

namespace petrel::demo {

// `slower`: the factor to real time. The number of lines is constant; each has less than 80 columns.
std::string status_text(const FabricNow&, const FabricWatch&, const lab::Experiment&, double slower, const Paint&);

}  // namespace petrel::demo
