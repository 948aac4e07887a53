// Captures byte by byte: the frames built for the twin's packets, and the pcap format around them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "wire/pcap.hpp"
#include "wire/roce.hpp"

namespace petrel {
namespace {

using namespace wire;

std::uint32_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t octets)
{
    std::uint32_t value = 0;
    for (const auto octet : bytes.subspan(at, octets)) {
        value = value << 8 | std::to_integer<std::uint32_t>(octet);
    }
    return value;
}

// Sixteen-bit words of an IPv4 header, the checksum included, add up to all ones.
bool checksum_holds(std::span<const std::byte> header)
{
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < header.size(); i += 2) {
        sum += number(header, i, 2);
    }
    while (sum > 0xffff) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum == 0xffff;
}

TEST(Roce, ADataFrameCarriesTheFieldsOfTheTwin)
{
    const RoceFrame frame{
        .from = 0x010203, .to = 9, .flow = 0x4567, .seq = 77, .frame_bytes = 1048, .dscp = 26, .ecn = 3};
    const auto shown = capture(frame, 128);
    ASSERT_EQ(shown.bytes.size(), 128U);
    EXPECT_EQ(shown.frame_bytes, 1044U);
    EXPECT_EQ(number(shown.bytes, 2, 4), 9U);
    EXPECT_EQ(number(shown.bytes, 6, 2), 0x0200U);
    EXPECT_EQ(number(shown.bytes, 9, 3), 0x010203U);
    EXPECT_EQ(number(shown.bytes, 12, 2), 0x0800U);
    const auto ip = std::span{shown.bytes}.subspan(14);
    EXPECT_EQ(number(ip, 0, 4), 0x456b'0406U);  // service 26 << 2 | 3, length 1030
    EXPECT_EQ(number(ip, 8, 2), 0x4011U);
    EXPECT_EQ(number(ip, 12, 4), 0x0a01'0203U);
    EXPECT_EQ(number(ip, 16, 4), 0x0a00'0009U);
    EXPECT_TRUE(checksum_holds(ip.first(20)));
    EXPECT_EQ(number(ip, 20, 2), 0xc567U);
    EXPECT_EQ(number(ip, 22, 4), 4791U << 16 | 1010U);
    EXPECT_EQ(number(ip, 28, 1), 4U);
    EXPECT_EQ(number(ip, 33, 3), 0x4567U);
    EXPECT_EQ(number(ip, 37, 3), 77U);
}

TEST(Roce, ATagCarriesThePriority)
{
    const auto shown = capture({.frame_bytes = 1048, .pcp = 3}, 128);
    EXPECT_EQ(number(shown.bytes, 12, 4), 0x8100'6000U);
    EXPECT_EQ(number(shown.bytes, 16, 2), 0x0800U);
    EXPECT_EQ(number(shown.bytes, 20, 2), 1026U);
}

TEST(Roce, AnswersHaveTheirOpcodeAndLength)
{
    const auto answer = [](RoceFrame::Kind kind) { return capture({.kind = kind, .seq = 5, .frame_bytes = 64}, 128); };
    const auto ack = answer(RoceFrame::Kind::ack);
    EXPECT_EQ(ack.bytes.size(), 62U);
    EXPECT_EQ(number(ack.bytes, 42, 1), 0x11U);
    EXPECT_EQ(number(ack.bytes, 54, 4), 0x1f00'0005U);
    const auto nak = answer(RoceFrame::Kind::nak);
    EXPECT_EQ(number(nak.bytes, 42, 1), 0x11U);
    EXPECT_EQ(number(nak.bytes, 54, 4), 0x6000'0005U);
    const auto cnp = answer(RoceFrame::Kind::cnp);
    EXPECT_EQ(cnp.bytes.size(), 74U);
    EXPECT_EQ(number(cnp.bytes, 42, 1), 0x81U);
}

RC_GTEST_PROP(Roce, LengthsAndChecksumAreAlwaysValid, ())
{
    const RoceFrame frame{.kind = *rc::gen::element(RoceFrame::Kind::data, RoceFrame::Kind::ack, RoceFrame::Kind::nak,
                                                    RoceFrame::Kind::cnp),
                          .from = *rc::gen::arbitrary<std::uint32_t>(),
                          .to = *rc::gen::arbitrary<std::uint32_t>(),
                          .flow = *rc::gen::arbitrary<std::uint32_t>(),
                          .seq = *rc::gen::arbitrary<std::uint32_t>(),
                          .frame_bytes = *rc::gen::inRange(0U, 12'000U),
                          .dscp = *rc::gen::arbitrary<std::uint8_t>(),
                          .ecn = *rc::gen::arbitrary<std::uint8_t>(),
                          .ttl = *rc::gen::arbitrary<std::uint8_t>()};
    const auto snap = *rc::gen::inRange(34U, 300U);
    const auto shown = capture(frame, snap);
    RC_ASSERT(shown.bytes.size() == std::min(snap, shown.frame_bytes));
    RC_ASSERT(checksum_holds(std::span{shown.bytes}.subspan(14, 20)));
    RC_ASSERT(number(shown.bytes, 16, 2) + 14 == shown.frame_bytes);
    RC_ASSERT(shown.frame_bytes + 4 == frame.frame_bytes || frame.frame_bytes < 14 + 20 + 8 + 12 + 16 + 4 + 4);
}

TEST(Pcap, HasAHeaderAndOneForEachFrame)
{
    Bytes out;
    append_pcap_header(out, 128);
    ASSERT_EQ(out.size(), 24U);
    EXPECT_EQ(number(out, 0, 4), 0xa1b2'3c4dU);
    EXPECT_EQ(number(out, 4, 4), 0x0002'0004U);
    EXPECT_EQ(number(out, 16, 4), 128U);
    EXPECT_EQ(number(out, 20, 4), 1U);
    const Bytes frame(3, std::byte{0xab});
    append_pcap_record(out, std::chrono::nanoseconds{2'000'000'007}, frame, 1044);
    ASSERT_EQ(out.size(), 24U + 16U + 3U);
    EXPECT_EQ(number(out, 24, 4), 2U);
    EXPECT_EQ(number(out, 28, 4), 7U);
    EXPECT_EQ(number(out, 32, 4), 3U);
    EXPECT_EQ(number(out, 36, 4), 1044U);
    EXPECT_EQ(number(out, 40, 3), 0xab'ababU);
}

}  // namespace
}  // namespace petrel
