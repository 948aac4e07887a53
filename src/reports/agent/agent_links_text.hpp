// The links that an agent follows, as text: a table, or as Omni-Path's opasaquery prints them.
#pragma once

#include <span>
#include <string>

#include "control/report.hpp"

namespace petrel::reports {

std::string agent_links_text(std::span<const control::LinkReport>, std::size_t width);
std::string opasaquery_text(std::span<const control::LinkReport>);

}  // namespace petrel::reports
