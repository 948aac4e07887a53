// The reasons in the registers of a link's ends, as cells of a table.
#pragma once

#include <cstdint>
#include <string>

namespace petrel::reports {

std::string reason_cell(std::uint8_t code);  // "39 FM Bounce"; "0"
// A register as a reader sees it: "unavailable" if the reader would reach it over a link that is down.
std::string register_cell(std::uint8_t code, bool available);

}  // namespace petrel::reports
