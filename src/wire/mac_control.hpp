// Pause frames: PFC (802.1Qbb, eight classes) and 802.3x (the whole port), to bytes and back. For captures and real
// frames; inside the twin a pause frame has no bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "wire/bytes.hpp"

namespace petrel::wire {

inline constexpr MacAddress kMacControlAddress{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
inline constexpr std::size_t kPauseFrameBytes = 60;  // as in captures; on the wire 4 bytes of FCS follow

struct ClassPause {
    std::uint8_t enabled{};                           // bit p: the time of priority p is valid
    std::array<std::uint16_t, kPriorities> quanta{};  // pause time in units of 512 bit times; 0 = resume
    bool operator==(const ClassPause&) const = default;
};

struct PortPause {
    std::uint16_t quanta{};
    bool operator==(const PortPause&) const = default;
};

struct PauseFrame {
    MacAddress source{};
    std::variant<ClassPause, PortPause> pause;
    bool operator==(const PauseFrame&) const = default;
};

Bytes build(const PauseFrame&);  // kPauseFrameBytes

// Accepts a frame with or without FCS; the FCS is not checked. Another length, address, type or opcode is an error.
// Reserved bits and padding are ignored, as the standards require.
Result<PauseFrame> parse_pause(std::span<const std::byte> frame);

}  // namespace petrel::wire
