#include "reports/agent/link_cells.hpp"

#include "link/reasons.hpp"

namespace petrel::reports {

std::string reason_cell(std::uint8_t code) { return code == 0 ? "0" : link::code_text(code); }

std::string register_cell(std::uint8_t code, bool available) { return available ? reason_cell(code) : "unavailable"; }

}  // namespace petrel::reports
