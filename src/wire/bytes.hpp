// Writes the fields of a frame one after another, in network byte order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace petrel::wire {

using Bytes = std::vector<std::byte>;
using MacAddress = std::array<std::uint8_t, 6>;

inline constexpr std::uint32_t kFcsBytes = 4;  // the checksum at the end of every frame

class FrameWriter {
public:
    explicit FrameWriter(Bytes& out) : out_(out) {}

    FrameWriter& u8(std::uint32_t value) { return number(value, 1); }
    FrameWriter& u16(std::uint32_t value) { return number(value, 2); }
    FrameWriter& u24(std::uint32_t value) { return number(value, 3); }
    FrameWriter& u32(std::uint32_t value) { return number(value, 4); }
    FrameWriter& mac(const MacAddress& address)
    {
        for (const auto octet : address) {
            u8(octet);
        }
        return *this;
    }

private:
    FrameWriter& number(std::uint32_t value, unsigned octets)
    {
        while (octets-- > 0) {
            out_.push_back(static_cast<std::byte>(value >> (8 * octets) & 0xff));
        }
        return *this;
    }

    Bytes& out_;
};

}  // namespace petrel::wire
