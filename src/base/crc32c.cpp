#include "base/crc32c.hpp"

#include <array>

namespace petrel {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bit-reversed

constexpr std::array<std::uint32_t, 256> make_table()
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t rest = byte;
        for (int i = 0; i < 8; ++i) {
            rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
        }
        table[byte] = rest;
    }
    return table;
}

constexpr auto kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes)
{
    std::uint32_t rest = ~0U;
    for (const auto byte : bytes) {
        rest = (rest >> 8) ^ kTable[(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
    }
    return ~rest;
}

}  // namespace petrel
