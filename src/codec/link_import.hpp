// Reads what other tools print about the links of their ports. Only the lines about links are read; others are ignored.
// Where a tool prints a number, the number identifies the reason; its text is used only where there is no number.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "link/imported.hpp"

namespace petrel::codec {

using ImportedPorts = std::vector<link::ImportedPort>;

// The output of `opasaquery -o portinfo`, also with -vvv, and of `opaportinfo`: both print the same block for each
// port.
Parsed<ImportedPorts> read_opa_port_info(std::string_view text, std::string_view file);

// The output of `ethtool INTERFACE`, for one interface or several.
Parsed<ImportedPorts> read_ethtool_settings(std::string_view text, std::string_view file);

}  // namespace petrel::codec
