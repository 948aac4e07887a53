// Pause frames byte by byte, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/golden.hpp"
#include "wire/mac_control.hpp"

namespace petrel {
namespace {

using namespace wire;

constexpr MacAddress kSomeone{0x02, 0, 0, 0, 0, 7};

Bytes bytes_of(std::initializer_list<int> octets)
{
    Bytes bytes;
    for (const auto octet : octets) {
        bytes.push_back(static_cast<std::byte>(octet));
    }
    return bytes;
}

TEST(MacControl, APfcFrameFollowsTheStandard)
{
    auto expected =
        bytes_of({0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x07,  // destination, source
                  0x88, 0x08, 0x01, 0x01, 0x00, 0x18,                                      // type, opcode, classes
                  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0x12, 0x34,              // times 0 to 4
                  0x00, 0x00, 0x00, 0x00, 0x00, 0x00});                                    // times 5 to 7
    expected.resize(60);
    EXPECT_EQ(build({kSomeone, ClassPause{0x18, {0, 0, 0, 0xffff, 0x1234, 0, 0, 0}}}), expected);
}

TEST(MacControl, AGlobalPauseFrameFollowsTheStandard)
{
    auto expected =
        bytes_of({0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x07,  // destination, source
                  0x88, 0x08, 0x00, 0x01, 0xbe, 0xef});                                    // type, opcode, time
    expected.resize(60);
    EXPECT_EQ(build({kSomeone, PortPause{0xbeef}}), expected);
}

PauseFrame any_pause()
{
    const auto source = *rc::gen::arbitrary<MacAddress>();
    if (*rc::gen::arbitrary<bool>()) {
        return {source, PortPause{*rc::gen::arbitrary<std::uint16_t>()}};
    }
    return {source, ClassPause{*rc::gen::arbitrary<std::uint8_t>(),
                               *rc::gen::arbitrary<std::array<std::uint16_t, kPriorities>>()}};
}

RC_GTEST_PROP(MacControl, FramesSurviveTheRoundTripWithOrWithoutFcs, ())
{
    const auto frame = any_pause();
    auto bytes = build(frame);
    RC_ASSERT(bytes.size() == kPauseFrameBytes);
    RC_ASSERT(parse_pause(bytes).value() == frame);
    bytes.insert(bytes.end(), 4, std::byte{0xcc});
    RC_ASSERT(parse_pause(bytes).value() == frame);
}

TEST(MacControl, ReservedBitsAndPaddingAreNotLookedAt)
{
    const PauseFrame frame{kSomeone, ClassPause{0x08, {0, 0, 0, 1, 0, 0, 0, 0}}};
    auto bytes = build(frame);
    bytes[16] = std::byte{0xff};
    bytes[59] = std::byte{0xff};
    EXPECT_EQ(parse_pause(bytes).value(), frame);
}

TEST(MacControl, ReportsWhyAFrameIsRefused)
{
    std::string text;
    const auto refused = [&](auto spoil) {
        auto bytes = build({kSomeone, PortPause{1}});
        spoil(bytes);
        const auto frame = parse_pause(bytes);
        ASSERT_FALSE(frame);
        text += frame.error().what + "\n";
    };
    refused([](Bytes& bytes) { bytes.clear(); });
    refused([](Bytes& bytes) { bytes.pop_back(); });
    refused([](Bytes& bytes) { bytes.resize(62); });
    refused([](Bytes& bytes) { bytes.resize(65); });
    refused([](Bytes& bytes) { bytes[5] = std::byte{2}; });
    refused([](Bytes& bytes) { bytes[12] = std::byte{8}; });
    refused([](Bytes& bytes) { bytes[14] = std::byte{2}; });
    test::expect_golden(test::golden("wire/refused_pauses.txt"), text);
}

}  // namespace
}  // namespace petrel
