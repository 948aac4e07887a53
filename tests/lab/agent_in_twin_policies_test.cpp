// The other policies on the simulated fabric: the pair of watchdogs at server and switch, Slingshot's squeeze, SAI's
// deadlock detection by polls and in hardware; and devices whose counters have flaws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/agent_in_twin_fabric.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using twin::Drop;
using watchdog::Field;
using watchdog::Reason;

TEST(AgentInTwinPair, TheNicIsFirstAndTheSwitchHasNothingToDo)
{
    auto twin = build(one_switch());
    auto at_switch = agent_on(*twin, kSwitch, book("rdma-switch"));
    auto at_nic = agent_on(*twin, kSick, book("rdma-nic"));
    stop_pipeline(*twin, kSick, kFault);
    EXPECT_EQ(delivered(*twin, kVictim, 100 * kMs, 140 * kMs), 0U);
    EXPECT_GT(delivered(*twin, kVictim, 200 * kMs, 300 * kMs), kPacketsIn100ms);

    ASSERT_THAT(kinds_of(*at_nic), ElementsAre("nic_latched"));
    EXPECT_EQ(at_nic->events()[0].target, port_to(kSick, 0));
    EXPECT_GE(ms(at_nic->events()[0].at), 50 + 100);
    EXPECT_LE(ms(at_nic->events()[0].at), 50 + kFreezes + 100 + 20);
    EXPECT_EQ(twin->nic_view(kSick).pause_tx(), 0b1111'0111) << "muted for the priority that is stuck";

    twin->run_until(1'000 * kMs);
    EXPECT_THAT(at_switch->events(), IsEmpty());
    EXPECT_THAT(kinds_of(*at_nic), ElementsAre("nic_latched"));  // the latch is not released by itself
    const auto drops = twin->totals().drops;
    EXPECT_EQ(drops.total(), drops[Drop::nic_buffer]);  // only the stopped NIC drops packets
}

TEST(AgentInTwinPair, WhereTheNicHasNoneTheSwitchActsUntilTheServerIsRepaired)
{
    auto twin = build(one_switch());
    auto at_switch = agent_on(*twin, kSwitch, book("rdma-switch"));
    stop_pipeline(*twin, kSick, kFault);
    reboot(*twin, kSick, 700 * kMs);
    EXPECT_EQ(delivered(*twin, kVictim, 200 * kMs, 240 * kMs), 0U);
    EXPECT_GT(delivered(*twin, kVictim, 400 * kMs, 500 * kMs), kPacketsIn100ms);
    EXPECT_EQ(twin->switch_view(kSwitch).registers(0).lossless_off, 0b0001'1000);

    twin->run_until(1'200 * kMs);
    ASSERT_THAT(kinds_of(*at_switch), ElementsAre("storm_detected", "storm_restored"));
    EXPECT_GE(ms(at_switch->events()[0].at), 50 + 200);
    EXPECT_LE(ms(at_switch->events()[0].at), 50 + kFreezes + 200 + 50);
    EXPECT_GE(ms(at_switch->events()[1].at), 700 + 200);
    EXPECT_LE(ms(at_switch->events()[1].at), 700 + kFreezes + 200 + 50);
    EXPECT_EQ(twin->switch_view(kSwitch).registers(0).lossless_off, 0);
    EXPECT_GT(delivered(*twin, kToSick, 1'200 * kMs, 1'300 * kMs), kPacketsIn100ms);
}

TEST(AgentInTwinPair, OnceTheNicIsMuteTheSwitchMakesThePortLosslessAgain)
{
    auto twin = build(one_switch());
    auto at_switch = agent_on(*twin, kSwitch, book("rdma-switch"));
    auto at_nic = agent_on(*twin, kSick, book("rdma-nic", {{"detect_ms", "400"}}));
    stop_pipeline(*twin, kSick, kFault);
    twin->run_until(1'000 * kMs);
    EXPECT_THAT(kinds_of(*at_nic), ElementsAre("nic_latched"));
    ASSERT_THAT(kinds_of(*at_switch), ElementsAre("storm_detected", "storm_restored"));
    EXPECT_LT(at_switch->events()[0].at, at_nic->events()[0].at);
    EXPECT_GE(at_switch->events()[1].at, at_nic->events()[0].at + std::chrono::milliseconds{200});
    EXPECT_EQ(twin->switch_view(kSwitch).registers(0).lossless_off, 0);
    EXPECT_GT(twin->totals().drops[Drop::nic_buffer], 0U);  // the port is lossless again, the NIC drops
    EXPECT_GT(delivered(*twin, kVictim, 1'000 * kMs, 1'100 * kMs), kPacketsIn100ms);
}

TEST(AgentInTwinPair, ARebootClearsTheLatch)
{
    auto twin = build(one_switch());
    auto at_nic = agent_on(*twin, kSick, book("rdma-nic"));
    stop_pipeline(*twin, kSick, kFault);
    at_nic->kill(600 * kMs);
    reboot(*twin, kSick, 600 * kMs);
    at_nic->start(700 * kMs, {scenario::StartAgent::Memory::lost, {}});
    twin->run_until(800 * kMs);
    EXPECT_EQ(twin->nic_view(kSick).pause_tx(), 0xff);
    EXPECT_GT(delivered(*twin, kToSick, 800 * kMs, 900 * kMs), kPacketsIn100ms);

    stop_pipeline(*twin, kSick, 900 * kMs);  // the restarted agent detects the next storm
    twin->run_until(1'200 * kMs);
    EXPECT_EQ(events_of(*at_nic, EventKind::nic_latched).size(), 2U);
    EXPECT_EQ(twin->nic_view(kSick).pause_tx(), 0b1111'0111) << "muted for the priority that is stuck";
}

TEST(AgentInTwinPauseTooLong, SqueezeKillsFramesByTheirLengthUntilThePauseIsOver)
{
    auto twin = build(one_switch());
    AgentInTwin::Options options;
    options.traits.pause_limit = std::chrono::milliseconds{100};
    auto agent = agent_on(*twin, kSwitch, book("pause-too-long"), options);
    stop_pipeline(*twin, kSick, kFault);
    heal_pipeline(*twin, kSick, 500 * kMs);
    const auto untouched = twin->switch_view(kSwitch).registers(0);

    EXPECT_GT(delivered(*twin, kVictim, 200 * kMs, 300 * kMs), kPacketsIn100ms);
    EXPECT_EQ(twin->switch_view(kSwitch).registers(0).pause_rx, 0);
    EXPECT_LT(twin->switch_view(kSwitch).registers(0).max_frame_bytes, 64);

    twin->run_until(600 * kMs);
    ASSERT_THAT(kinds_of(*agent), ElementsAre("pause_too_long", "pause_too_long_cleared"));
    EXPECT_EQ(agent->events()[0].target, port_to(kSwitch, 0));
    EXPECT_GE(ms(agent->events()[0].at), 50 + 100);
    EXPECT_LE(ms(agent->events()[0].at), 50 + kFreezes + 100 + 10);
    EXPECT_GE(ms(agent->events()[1].at), 500);
    EXPECT_LE(ms(agent->events()[1].at), 500 + kFreezes + 2 * 10);
    EXPECT_EQ(twin->switch_view(kSwitch).registers(0), untouched);
    EXPECT_GT(delivered(*twin, kToSick, 600 * kMs, 700 * kMs), kPacketsIn100ms);

    const auto drops = twin->totals().drops;
    EXPECT_GT(drops[Drop::frame_size], 0U);
    EXPECT_EQ(drops.total(), drops[Drop::frame_size]);
}

TEST(AgentInTwinSai, PolledByTheContinuousState)
{
    auto twin = build(one_switch());
    AgentInTwin::Options options;
    options.traits.fields = bit(Field::pause_state);
    auto agent = agent_on(*twin, kSwitch, book("sai"), options);
    stop_pipeline(*twin, kSick, kFault);
    heal_pipeline(*twin, kSick, 600 * kMs);
    twin->run_until(1'100 * kMs);
    ASSERT_THAT(kinds_of(*agent), ElementsAre("storm_detected", "storm_restored"));
    EXPECT_GE(ms(agent->events()[0].at), 50 + 200);
    EXPECT_LE(ms(agent->events()[0].at), 50 + kFreezes + 200 + 50);
    EXPECT_GE(ms(agent->events()[1].at), 600 + 200);
    EXPECT_LE(ms(agent->events()[1].at), 600 + kFreezes + 200 + 50);
}

TEST(AgentInTwinSai, TheHardwareDetectsRecoversForItsTimeAndDetectsAgain)
{
    auto twin = build(one_switch());
    AgentInTwin::Options options;
    options.traits.deadlock_detect = std::chrono::milliseconds{200};
    options.traits.deadlock_recover = std::chrono::milliseconds{100};
    auto agent = agent_on(*twin, kSwitch, book("sai", {{"detected_by", "device"}, {"restore_ms", "100"}}), options);
    stop_pipeline(*twin, kSick, kFault);
    heal_pipeline(*twin, kSick, 750 * kMs);
    twin->run_until(1'500 * kMs);

    const auto detected = events_of(*agent, EventKind::storm_detected);
    const auto restored = events_of(*agent, EventKind::storm_restored);
    ASSERT_EQ(detected.size(), 2U);  // 250 to 350 ms, 550 to 650 ms; the NIC is healthy before a third detection
    ASSERT_EQ(restored.size(), 2U);
    for (std::size_t i = 0; i != 2; ++i) {
        EXPECT_EQ(detected[i].reason, Reason::device);
        EXPECT_EQ(restored[i].at - detected[i].at, options.traits.deadlock_recover);
    }
    EXPECT_EQ(detected[1].at - restored[0].at, options.traits.deadlock_detect);
    EXPECT_EQ(twin->switch_view(kSwitch).queue(0, 3, twin->now()).deadlocks, 2U);
}

TEST(AgentInTwinFlaws, CountersThatFreezeUnderTreatmentAreReleasedByAProbe)
{
    auto setup = one_switch();
    setup.switch_profiles[0].flaws.deaf_without_pfc = true;
    auto twin = build(std::move(setup));
    auto agent = agent_on(*twin, kSwitch, book("sonic", {{"restore_ms", "500"}}));
    EXPECT_THAT(agent->watchlist().notes, ElementsAre(testing::HasSubstr("timed probe")));
    stop_pipeline(*twin, kSick, kFault);
    heal_pipeline(*twin, kSick, 1'200 * kMs);
    twin->run_until(4'000 * kMs);
    // The storm still lasts at the first release, and the agent detects it again.
    EXPECT_GE(events_of(*agent, EventKind::storm_detected).size() + events_of(*agent, EventKind::probe_failed).size(),
              2U);
    EXPECT_EQ(agent->events().back().kind, EventKind::storm_restored);
    EXPECT_GT(delivered(*twin, kToSick, 4'000 * kMs, 4'100 * kMs), kPacketsIn100ms);
}

TEST(AgentInTwinFlaws, CountersThatMoveOnlyNowAndThenAreReadOnlyThen)
{
    auto setup = one_switch();
    setup.switch_profiles[0].flaws.refresh = 300 * kMs;
    auto twin = build(std::move(setup));
    auto agent = agent_on(*twin, kSwitch, book("sonic"));
    EXPECT_EQ(agent->watchlist().poll, std::chrono::milliseconds{300});
    stop_pipeline(*twin, kSick, kFault);
    twin->run_until(2'000 * kMs);
    ASSERT_THAT(kinds_of(*agent), ElementsAre("storm_detected"));
    EXPECT_GE(ms(agent->events()[0].at), 600);  // T0 ends by 460 ms, but the counters change only at 600 ms
    EXPECT_LE(ms(agent->events()[0].at), 50 + kFreezes + 400 + 2 * 300);
}

TEST(AgentInTwinFlaws, PauseTimeInQuantaStillShowsTheStorm)
{
    auto setup = one_switch();
    setup.switch_profiles[0].flaws.quanta = true;
    auto twin = build(std::move(setup));
    AgentInTwin::Options options;
    options.traits.fields = bit(Field::pause_us) | bit(Field::tx_packets);
    auto agent = agent_on(*twin, kSwitch, book("sonic"), options);
    stop_pipeline(*twin, kSick, kFault);
    twin->run_until(800 * kMs);
    ASSERT_THAT(kinds_of(*agent), ElementsAre("storm_detected"));
    EXPECT_LE(ms(agent->events()[0].at), 50 + kFreezes + 400 + 100);
    const auto reported = twin->switch_view(kSwitch).queue(0, 3, twin->now()).paused_for;
    EXPECT_GT(reported, 760 * kMs);  // more than the elapsed time: the counter adds the full quanta of each frame
}

}  // namespace
}  // namespace petrel::test
