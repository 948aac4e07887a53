#include "base/crc32c.hpp"

#include <array>

namespace petrel {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // bit-reversed

// Eight bytes at a time: table k is for a byte that is followed by k more bytes.
constexpr std::size_t kAtOnce = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kAtOnce>;

constexpr Tables make_tables()
{
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int i = 0; i < 8; ++i) {
            rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
        }
        tables[0][byte] = rest;
    }
    for (std::size_t k = 1; k < kAtOnce; ++k) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const auto before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

constexpr auto kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes)
{
    std::uint32_t rest = ~0U;
    for (; bytes.size() >= kAtOnce; bytes = bytes.subspan(kAtOnce)) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < kAtOnce; ++i) {
            const auto byte = std::to_integer<std::uint32_t>(bytes[i]);
            next ^= kTables[kAtOnce - 1 - i][i < 4 ? byte ^ ((rest >> (8 * i)) & 0xff) : byte];
        }
        rest = next;
    }
    for (const auto byte : bytes) {
        rest = (rest >> 8) ^ kTables[0][(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
    }
    return ~rest;
}

}  // namespace petrel
