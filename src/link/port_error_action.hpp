// The PortErrorAction mask: which port errors take the link down. Bit n stands for reason code n + 1; a bit whose code
// is only a placeholder is reserved, and a mask with such a bit is refused.
#pragma once

#include <cstdint>

namespace petrel::link {

using PortErrorMask = std::uint32_t;

inline constexpr std::uint8_t kPortErrorBits = 32;

// Control distances and virtual lane markers: errors after which credits can no longer be trusted.
inline constexpr PortErrorMask kDefaultPortErrorMask = 0x172000;

// Codes 1, 9, 11, 15, 16 and 25..31.
inline constexpr PortErrorMask kReservedPortErrorBits = 0x7f00c501;

constexpr std::uint8_t code_of_error(std::uint8_t bit) { return static_cast<std::uint8_t>(bit + 1); }
constexpr bool acts_on(PortErrorMask mask, std::uint8_t bit) { return (mask >> bit & 1U) != 0; }
constexpr PortErrorMask refused_bits(PortErrorMask mask) { return mask & kReservedPortErrorBits; }

}  // namespace petrel::link
