#include "wire/mac_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace petrel::wire {
namespace {

// Offsets: 0 destination, 6 source, 12 type, 14 opcode, 16 class vector or time, 18 times.
constexpr std::uint16_t kMacControlType = 0x8808;
constexpr std::uint16_t kPortPauseOpcode = 0x0001;
constexpr std::uint16_t kClassPauseOpcode = 0x0101;

tl::unexpected<Error> refuse(std::string what)
{
    return tl::unexpected{Error{ErrorKind::invalid, "pause frame: " + std::move(what)}};
}

std::uint16_t u16_at(std::span<const std::byte> frame, std::size_t offset)
{
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(frame[offset]) << 8 |
                                      std::to_integer<unsigned>(frame[offset + 1]));
}

MacAddress mac_at(std::span<const std::byte> frame, std::size_t offset)
{
    MacAddress address;
    std::transform(frame.begin() + static_cast<std::ptrdiff_t>(offset),
                   frame.begin() + static_cast<std::ptrdiff_t>(offset + address.size()), address.begin(),
                   [](std::byte octet) { return std::to_integer<std::uint8_t>(octet); });
    return address;
}

}  // namespace

Bytes build(const PauseFrame& frame)
{
    Bytes bytes;
    bytes.reserve(kPauseFrameBytes);
    FrameWriter write{bytes};
    write.mac(kMacControlAddress).mac(frame.source).u16(kMacControlType);
    if (const auto* port = std::get_if<PortPause>(&frame.pause)) {
        write.u16(kPortPauseOpcode).u16(port->quanta);
    } else {
        const auto& classes = std::get<ClassPause>(frame.pause);
        write.u16(kClassPauseOpcode).u16(classes.enabled);
        for (const auto quanta : classes.quanta) {
            write.u16(quanta);
        }
    }
    bytes.resize(kPauseFrameBytes);
    return bytes;
}

Result<PauseFrame> parse_pause(std::span<const std::byte> frame)
{
    if (frame.size() != kPauseFrameBytes && frame.size() != kPauseFrameBytes + kFcsBytes) {
        return refuse(fmt::format("{} bytes, allowed: {}, or {} with the FCS", frame.size(), kPauseFrameBytes,
                                  kPauseFrameBytes + kFcsBytes));
    }
    if (const auto to = mac_at(frame, 0); to != kMacControlAddress) {
        return refuse(
            fmt::format("sent to {:02x}, allowed: {:02x}", fmt::join(to, ":"), fmt::join(kMacControlAddress, ":")));
    }
    if (const auto type = u16_at(frame, 12); type != kMacControlType) {
        return refuse(fmt::format("type 0x{:04x}, allowed: 0x{:04x}", type, kMacControlType));
    }
    PauseFrame read{mac_at(frame, 6), PortPause{u16_at(frame, 16)}};
    const auto opcode = u16_at(frame, 14);
    if (opcode == kPortPauseOpcode) {
        return read;
    }
    if (opcode != kClassPauseOpcode) {
        return refuse(fmt::format("opcode 0x{:04x}, allowed: 0x{:04x} (PFC) or 0x{:04x} (802.3x)", opcode,
                                  kClassPauseOpcode, kPortPauseOpcode));
    }
    ClassPause classes{std::to_integer<std::uint8_t>(frame[17]), {}};
    for (std::size_t p = 0; p < kPriorities; ++p) {
        classes.quanta[p] = u16_at(frame, 18 + 2 * p);
    }
    read.pause = classes;
    return read;
}

}  // namespace petrel::wire
