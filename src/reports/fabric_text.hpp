// The manager's view of a fabric as text for a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/report.hpp"
#include "fabric/fabric_view.hpp"

namespace petrel::reports {

// "leaf3:Ethernet20 → gpu-1207:eth2"; without a neighbour the port alone.
std::string port_text(const fabric::PortName&, const std::optional<fabric::PortName>& neighbour);

// "reporting", "unknown since 2026-01-02T03:04:05.000000+00:00", "never reported".
std::string sight_text(const fabric::Sight&);

// One row for each open error and, unless `only_errors`, for the last error of each other port. At most `width`
// columns.
std::string ports_text(std::span<const fabric::ShownPort>, bool only_errors, std::size_t width);

// One row for each end: why it last went down, with the cause that the other end reported. With `history`, each time.
std::string links_text(std::span<const fabric::ShownLink>, bool history, std::size_t width);

// The ends as an agent shows its links, for opasaquery_text().
std::vector<control::LinkReport> link_reports(std::span<const fabric::ShownLink>);

}  // namespace petrel::reports
