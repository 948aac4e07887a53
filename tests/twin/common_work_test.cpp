// The benchmark work of simulators of lossless fabrics, in cases where a formula gives the result: 64 hosts of a
// fat-tree with 100 Gb/s and 1 us links send 2,000 packets each to host 0, without preamble and gap.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

constexpr std::uint32_t kReserve = 4'096;
constexpr std::uint32_t kFrameBytes = 1'048;
constexpr std::uint32_t kAck = 64;
const NodeId kLastTor{128};

twin::Setup common(std::vector<Flow> flows)
{
    auto set = setup(topology::fat_tree(8, kLink, kLink).value());
    set.overhead_bytes = 0;
    set.switch_profiles[0].groups[kLossless] = lossless_group({}, 37'500);
    set.flows = std::move(flows);
    return set;
}

std::vector<Flow> incast64(std::uint64_t packets)
{
    std::vector<Flow> flows;
    for (std::uint32_t host = 64; host != 128; ++host)
        flows.push_back({.src = NodeId{host}, .dst = NodeId{0}, .packets = packets});
    return flows;
}

// The last link is never idle: the first frame crosses five links, then all frames follow one after the other, then the
// acknowledgement of the last one travels all the way back.
constexpr Ps last_ack(std::uint64_t frames)
{
    return 5 * (kFrameBytes * kPsPerByte + kUs) + frames * kFrameBytes * kPsPerByte + kUs +
           6 * (kAck * kPsPerByte + kUs);
}

TEST(CommonWork, Incast64EndsAsTheFormulaPredicts)
{
    constexpr std::uint64_t kPackets = 2'000 / kScale;
    const auto twin = build(common(incast64(kPackets)));
    twin->run_until_flows_finish(20 * kMs);
    const Totals totals = twin->totals();
    EXPECT_EQ(totals.last_ack, last_ack(64 * kPackets));
    EXPECT_EQ(last_ack(128'000), 10'743'969'920U);  // 10,744.0 us
    EXPECT_EQ(totals.drops.total(), 0U);
    EXPECT_EQ(totals.delivered, 2 * 64 * kPackets);
    EXPECT_GE(totals.packet_hops, 2 * 6 * 64 * kPackets);
    EXPECT_GT(pauses_sent(*twin, kLastTor), 0U);
}

// Four uplinks deliver more than the last ToR can forward: each group gets T = alpha x (S - 4 T), where S is the buffer
// without reserve and headroom.
TEST(CommonWork, Incast64SettlesAtTheFixedPointOfTheDynamicThreshold)
{
    const auto twin = build(common(incast64(2'000)));
    const auto view = twin->switch_view(kLastTor);
    const std::uint64_t shared = (12U << 20U) - 8 * (kReserve + 37'500);
    ASSERT_EQ(shared, 12'250'144U);
    ASSERT_EQ(view.pool_size(0), shared);
    constexpr double kFixedPoint = 12'250'144.0 / 8 / (1 + 4.0 / 8);
    EXPECT_NEAR(kFixedPoint, 1'020'845, 1);

    twin->run_until(200 * kUs);  // all four have just reached it
    EXPECT_NEAR(static_cast<double>(shared - view.pool_used(0)) / 8, kFixedPoint, kFrameBytes);
    for (std::uint8_t port = 4; port != 8; ++port)
        EXPECT_NEAR(view.group(port, kLossless).bytes - kReserve, kFixedPoint, kFrameBytes) << int{port};
    twin->run_until(2 * kMs);  // when one is at its threshold, others may be slightly below
    for (std::uint8_t port = 4; port != 8; ++port)
        EXPECT_NEAR(view.group(port, kLossless).peak_bytes - kReserve, kFixedPoint, 3 * kFrameBytes) << int{port};
}

TEST(CommonWork, Perm128LosesNothingAndTakesTheShortestPaths)
{
    std::ifstream file{PETREL_TEST_DATA "/../bench/work/perm128.flows"};
    std::vector<Flow> flows;
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    std::uint64_t packets = 0;
    while (file >> src >> dst >> packets)
        flows.push_back({.src = NodeId{src}, .dst = NodeId{dst}, .packets = packets / 10 / kScale});
    ASSERT_EQ(flows.size(), 128U);
    auto set = common(flows);
    set.threads = 2;
    const auto twin = build(set);
    twin->run_until_flows_finish(20 * kMs);
    const Totals totals = twin->totals();
    EXPECT_EQ(totals.drops.total(), 0U);
    EXPECT_EQ(totals.delivered, 2 * 51'200U / kScale);
    std::uint64_t pauses = 0;
    for (std::uint32_t node = 128; node != 208; ++node)
        pauses += pauses_sent(*twin, NodeId{node});
    EXPECT_EQ(totals.packet_hops, 2 * 285'600U / kScale + pauses);
}

}  // namespace
}  // namespace petrel::twin::test
