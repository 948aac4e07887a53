// Reasons and causes explained to a person: what each means, and what to do.
#pragma once

#include <string>

#include "link/decode.hpp"
#include "link/imported.hpp"
#include "terminal/terminal.hpp"

namespace petrel::reports {

std::string explained(link::Canonical, const Paint&);
std::string decoded_text(const link::Decoded&, const Paint&);
std::string imported_text(const link::ImportedPort&, const Paint&);

}  // namespace petrel::reports
