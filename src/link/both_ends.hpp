// What the registers of one end show about both ends of its link.
#pragma once

#include <cstdint>
#include <string_view>

#include "link/imported.hpp"

namespace petrel::link {

// Which end took the link down, and what the other end should show.
std::string_view account_of(std::uint8_t ldr, std::uint8_t nldr);
std::string_view account_of(const ImportedPort&);

}  // namespace petrel::link
