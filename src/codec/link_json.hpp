// The output of the `petrel link` commands as JSON.
#pragma once

#include <string>

#include "link/decode.hpp"
#include "link/imported.hpp"
#include "link/link_play.hpp"

namespace petrel::codec {

// One line each, without its newline. Registers that are unavailable are null.
std::string link_registers_json(const link::LinkReading& a, const link::LinkReading& b, bool b_available);
std::string link_log_json(const link::PortHistory& a, const link::PortHistory& b, bool newest_first);

std::string explained_json(link::Canonical);
std::string reasons_json();  // one object: all codes
std::string decoded_json(const link::Decoded&);
std::string imported_json(const link::ImportedPort&);

}  // namespace petrel::codec
