// A link comes up at another speed: the device reports it, and the agent adapts its rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/agent_in_twin_fabric.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::Field;

constexpr BitRate k1G{1'000'000'000};

BitRate speed_of(const AgentInTwin& agent, const Target& target)
{
    for (const auto& row : agent.watchlist().inventory.rows) {
        if (row.target == target) {
            return row.speed;
        }
    }
    return {};
}

// The device counts pause frames and no pause time. One frame every 20 ms pauses a queue for 3.4 ms at 10 Gb/s, and
// without a break at 1 Gb/s.
std::vector<std::string> reported(bool slower)
{
    auto twin = build(one_switch());
    AgentInTwin::Options options;
    options.traits.fields = bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(Field::paused_now) | bit(Field::tx_packets);
    const auto agent = agent_on(*twin, kSwitch, book("sonic"), options);
    if (slower) {
        twin->set_speed(0, k1G, 100 * kMs, 50 * kMs);
    }
    twin::Storm storm;
    storm.priorities = 1U << 3U;
    storm.period = 20 * kMs;
    twin->at(kSick, 300 * kMs, [&twin, storm](Ps now) { twin->nic_view(kSick).start_storm(storm, now); });
    twin->run_until(1'500 * kMs);
    EXPECT_EQ(speed_of(*agent, queue_to(kSwitch, 0)), slower ? k1G : k10G.speed);
    EXPECT_EQ(speed_of(*agent, queue_to(kSwitch, 1)), k10G.speed);
    return kinds_of(*agent);
}

TEST(AgentInTwinSpeed, ThePauseTimeOfAFrameFollowsTheLinkSpeed)
{
    EXPECT_THAT(reported(false), IsEmpty());
    EXPECT_THAT(reported(true), ElementsAre("storm_detected"));
}

TEST(AgentInTwinSpeed, NicsAndSlingshotSwitchesReportTheSpeed)
{
    auto twin = build(one_switch());
    AgentInTwin::Options options;
    options.slingshot = true;
    options.traits.pause_limit = std::chrono::milliseconds{50};
    const auto at_switch = agent_on(*twin, kSwitch, book("pause-too-long"), options);
    const auto at_nic = agent_on(*twin, kSick, book("rdma-nic"));
    twin->set_speed(0, k1G, 100 * kMs, 50 * kMs);
    twin->run_until(140 * kMs);
    EXPECT_EQ(speed_of(*at_nic, queue_to(kSick, 0)), k10G.speed);
    twin->run_until(400 * kMs);
    EXPECT_EQ(speed_of(*at_nic, queue_to(kSick, 0)), k1G);
    EXPECT_EQ(speed_of(*at_switch, port_to(kSwitch, 0)), k1G);
    EXPECT_EQ(speed_of(*at_switch, port_to(kSwitch, 1)), k10G.speed);
}

}  // namespace
}  // namespace petrel::test
