// A NIC stops receiving and freezes its switch. The production agent, in simulated time, lets other traffic flow again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/agent_in_twin_fabric.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using twin::Drop;
using watchdog::Reason;
using watchdog::Treatment;

constexpr double kFreezesSoon = 5;  // the switch is paused at most this many ms after the fault

TEST(AgentInTwin, WithoutAnAgentTheVictimsStayFrozen)
{
    auto twin = build(one_switch());
    stop_pipeline(*twin, kSick, kFault);
    EXPECT_GT(delivered(*twin, kVictim, 100, kFault), 2'800U);
    EXPECT_EQ(delivered(*twin, kVictim, 400 * kMs, 2'000 * kMs), 0U);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
}

TEST(AgentInTwin, SonicDropsFreesTheOthersAndRestores)
{
    auto twin = build(one_switch());
    auto agent = agent_on(*twin, kSwitch, book("sonic"));
    stop_pipeline(*twin, kSick, kFault);
    heal_pipeline(*twin, kSick, 1'500 * kMs);
    const auto untouched = twin->switch_view(kSwitch).registers(0);

    EXPECT_EQ(delivered(*twin, kVictim, 300 * kMs, 400 * kMs), 0U);

    twin->run_until(700 * kMs);
    ASSERT_THAT(kinds_of(*agent), ElementsAre("storm_detected"));
    const auto& storm = agent->events()[0];
    EXPECT_EQ(storm.target, queue_to(kSwitch, 0));
    EXPECT_GE(ms(storm.at), 50 + 400);
    EXPECT_LE(ms(storm.at), 50 + kFreezesSoon + 400 + 100);
    EXPECT_EQ(agent->agent()->watchdog().in_effect(Slot{0}), Treatment::drop);

    EXPECT_GT(delivered(*twin, kVictim, 800 * kMs, 900 * kMs), kPacketsIn100ms);
    EXPECT_EQ(delivered(*twin, kToSick, 800 * kMs, 900 * kMs), 0U);

    twin->run_until(4'000 * kMs);
    ASSERT_THAT(kinds_of(*agent), ElementsAre("storm_detected", "storm_restored"));
    EXPECT_GE(ms(agent->events()[1].at), 1'500 + 2'000);
    EXPECT_LE(ms(agent->events()[1].at), 1'500 + kFreezesSoon + 2'000 + 100);
    EXPECT_EQ(agent->events()[1].reason, Reason::quiet);
    EXPECT_EQ(twin->switch_view(kSwitch).registers(0), untouched);
    EXPECT_GT(delivered(*twin, kToSick, 4'000 * kMs, 4'100 * kMs), kPacketsIn100ms);

    const auto drops = twin->totals().drops;
    EXPECT_GT(drops[Drop::mitigated_out], 0U);
    EXPECT_EQ(drops.total(), drops[Drop::mitigated_out] + drops[Drop::mitigated_in]);
    const auto stats = agent->agent()->watchdog().stats(Slot{0}, twin::to_instant(twin->now()));
    EXPECT_EQ(stats.detected, 1U);
    EXPECT_EQ(stats.restored, 1U);
    EXPECT_LE(stats.tx_drop, drops[Drop::mitigated_out]);
    EXPECT_GT(stats.tx_drop, drops[Drop::mitigated_out] / 2);
}

TEST(AgentInTwin, ForwardLetsTheSickNicDropInstead)
{
    auto twin = build(one_switch());
    auto agent = agent_on(*twin, kSwitch, book("sonic", {{"action", "forward"}}));
    stop_pipeline(*twin, kSick, kFault);
    heal_pipeline(*twin, kSick, 1'000 * kMs);
    EXPECT_EQ(delivered(*twin, kVictim, 300 * kMs, 400 * kMs), 0U);
    EXPECT_GT(delivered(*twin, kVictim, 700 * kMs, 800 * kMs), kPacketsIn100ms);
    twin->run_until(3'500 * kMs);
    EXPECT_THAT(kinds_of(*agent), ElementsAre("storm_detected", "storm_restored"));
    const auto drops = twin->totals().drops;
    EXPECT_GT(drops[Drop::nic_buffer], 0U);
    EXPECT_EQ(drops.total(), drops[Drop::nic_buffer]);
}

TEST(AgentInTwin, AlertSendsNoCommand)
{
    auto twin = build(one_switch());
    auto agent = agent_on(*twin, kSwitch, book("sonic", {{"action", "alert"}}));
    stop_pipeline(*twin, kSick, kFault);
    EXPECT_EQ(delivered(*twin, kVictim, 800 * kMs, 900 * kMs), 0U);
    EXPECT_THAT(kinds_of(*agent), ElementsAre("storm_alert"));
}

TEST(AgentInTwin, CongestionIsNoStorm)
{
    auto setup = one_switch();
    setup.nic_profiles[0].drain = BitRate{800'000'000};  // less than the load: h0 pauses its switch repeatedly
    auto twin = build(std::move(setup));
    auto agent = agent_on(*twin, kSwitch, book("sonic"));
    twin->run_until(1'500 * kMs);
    EXPECT_THAT(agent->events(), IsEmpty());
    EXPECT_GT(twin->switch_view(kSwitch).queue(0, 3, twin->now()).pauses_ended, 10U);
}

TEST(AgentInTwin, StormAcrossTwoTiersIsStoppedAtItsPort)
{
    // 2 leaves, 2 spines, 2 hosts per leaf: h2 sends to h0, which fails, and from the same NIC to h1.
    auto setup = lossless(topology::leaf_spine(2, 2, 2, k10G, k10G).value());
    setup.flows = {endless(2, 0), endless(3, 0), endless(2, 1)};
    auto twin = build(std::move(setup));
    std::vector<std::unique_ptr<AgentInTwin>> agents;
    for (std::uint32_t node = 4; node != 8; ++node) {
        // The leaf mitigates first. The other paused switches are victims and must not mitigate as well.
        agents.push_back(agent_on(*twin, NodeId{node}, book("rdma-switch")));
    }
    stop_pipeline(*twin, kSick, kFault);
    EXPECT_EQ(delivered(*twin, kVictim, 200 * kMs, 240 * kMs), 0U);
    EXPECT_GT(delivered(*twin, kVictim, 400 * kMs, 500 * kMs), kPacketsIn100ms);
    EXPECT_THAT(kinds_of(*agents[0]), ElementsAre("storm_detected"));
    for (std::size_t other = 1; other != agents.size(); ++other) {
        EXPECT_THAT(agents[other]->events(), IsEmpty()) << other;
    }
}

TEST(AgentInTwin, PoliciesThatNeedMissingSignalsAreRefused)
{
    auto twin = build(one_switch());
    AgentInTwin::Options blind;
    blind.traits.fields = bit(watchdog::Field::pause_state);
    const auto made = AgentInTwin::make(*twin, kSwitch, book("rdma-switch"), blind);
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().front().file, "rdma-switch");
}

}  // namespace
}  // namespace petrel::test
