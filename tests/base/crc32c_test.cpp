// CRC-32C compared with published check values; it detects every single flipped bit.
#include "base/crc32c.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string_view>
#include <vector>

namespace petrel {
namespace {

std::uint32_t crc_of(std::string_view text) { return crc32c(std::as_bytes(std::span{text})); }

TEST(Crc32c, KnownValues)
{
    EXPECT_EQ(crc_of(""), 0U);
    EXPECT_EQ(crc_of("123456789"), 0xe3069283U);
    EXPECT_EQ(crc_of(std::string(32, '\0')), 0x8a9136aaU);
    EXPECT_EQ(crc_of(std::string(32, '\xff')), 0x62a8ab43U);
}

// The definition, bit by bit.
std::uint32_t crc_by_definition(std::span<const std::byte> bytes)
{
    std::uint32_t rest = ~0U;
    for (const auto byte : bytes) {
        rest ^= std::to_integer<std::uint32_t>(byte);
        for (int i = 0; i < 8; ++i) {
            rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82f63b78U : 0U);
        }
    }
    return ~rest;
}

RC_GTEST_PROP(Crc32c, EqualsItsDefinitionAtAnyLength, (const std::vector<std::uint8_t>& bytes))
{
    RC_ASSERT(crc32c(std::as_bytes(std::span{bytes})) == crc_by_definition(std::as_bytes(std::span{bytes})));
}

RC_GTEST_PROP(Crc32c, SeesEveryFlippedBit, (std::vector<std::uint8_t> bytes))
{
    RC_PRE(!bytes.empty());
    const auto before = crc32c(std::as_bytes(std::span{bytes}));
    const auto bit = *rc::gen::inRange<std::size_t>(0, bytes.size() * 8);
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
    RC_ASSERT(crc32c(std::as_bytes(std::span{bytes})) != before);
}

}  // namespace
}  // namespace petrel
