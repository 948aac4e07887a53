// Every attribute by its effect on packets, counted at their destination: a host, or a port of the next switch.
#include "loaded_library.hpp"

namespace petrel::test {
namespace {

using sai::DeadlockState;
using sai::PacketAction;
namespace queue_attr = sai::queue_attr;
namespace port_attr = sai::port_attr;

class Effects : public LoadedLibrary {
protected:
    std::uint64_t arrive_in_100_ms()
    {
        const auto before = host_received("h1");
        step_ms(100);
        return host_received("h1") - before;
    }
    std::uint64_t dropped() const { return stat(queues->get_stats, queue(kStormed), sai::queue_stat::dropped_packets); }
};

TEST_F(Effects, APausedQueueReadsNotContinuousOnceThenPausedUntilItResumes)
{
    start(kStorm);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::not_paused);
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), kPackets, 2);
    step_ms(50);
    EXPECT_TRUE(get(queues, queue(kStormed), queue_attr::pause_status).booldata);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused_not_continuous);
    EXPECT_EQ(arrive_in_100_ms(), 0U);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused) << "read again at once";
    EXPECT_EQ(state(queue(kStormed, 4)), DeadlockState::not_paused) << "the other class";
    EXPECT_EQ(state(queue(0)), DeadlockState::not_paused) << "the other port";
    step_ms(400);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::not_paused);
    EXPECT_FALSE(get(queues, queue(kStormed), queue_attr::pause_status).booldata);
}

TEST_F(Effects, APauseThatWasBrokenBetweenTwoPollsIsNotContinuous)
{
    auto scenario = std::string{kStorm};
    scenario += "[[fault]]\nat = \"700ms\"\nkind = \"storm\"\nhost = \"h1\"\nquanta = 2000\nperiod = \"1ms\"\n";
    start(scenario);
    step_ms(500);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused_not_continuous);
    step_ms(50);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused);
    step_ms(250);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused_not_continuous)
        << "the queue was not paused from 601 to 700 ms";
    step_ms(1);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused);
}

TEST_F(Effects, RecoveryDropsWaitingAndArrivingFramesUntilItIsEnded)
{
    start(kStorm);
    step_ms(200);
    EXPECT_NEAR(static_cast<double>(stat(queues->get_stats, queue(kStormed), sai::queue_stat::curr_occupancy_bytes)),
                kPackets * 1048.0, 3000);
    set(queues, queue(kStormed), queue_attr::pfc_dlr_init, boolean(true));
    EXPECT_TRUE(get(queues, queue(kStormed), queue_attr::pfc_dlr_init).booldata);
    EXPECT_NEAR(static_cast<double>(dropped()), kPackets, 2) << "the waiting frames are dropped";
    EXPECT_EQ(stat(queues->get_stats, queue(kStormed), sai::queue_stat::curr_occupancy_bytes), 0U);
    EXPECT_EQ(arrive_in_100_ms(), 0U);
    EXPECT_NEAR(static_cast<double>(dropped()), 2.0 * kPackets, 4) << "arriving frames are dropped, too";
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused_not_continuous) << "pause is still reported";
    set(queues, queue(kStormed), queue_attr::pfc_dlr_init, boolean(false));
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused_not_continuous) << "the queue had resumed";
    EXPECT_EQ(arrive_in_100_ms(), 0U);
    EXPECT_NEAR(static_cast<double>(dropped()), 2.0 * kPackets, 4) << "no more frames are dropped";
    step_ms(250);
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), kPackets, 2) << "the storm is over";
}

TEST_F(Effects, RecoveryForwardsByTheActionOfTheQueueOrTheSwitch)
{
    start(kStorm);
    set(switches, s0, sai::switch_attr::pfc_dlr_packet_action, word(PacketAction::forward));
    step_ms(200);
    set(queues, queue(kStormed), queue_attr::pfc_dlr_init, boolean(true));
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), 2.0 * kPackets, 4) << "arriving and waiting frames";
    EXPECT_EQ(dropped(), 0U);
    set(queues, queue(kStormed), queue_attr::pfc_dlr_packet_action, word(PacketAction::drop));
    EXPECT_EQ(arrive_in_100_ms(), 0U);
    set(queues, queue(kStormed), queue_attr::pfc_dlr_packet_action, word(PacketAction::forward));
    set(switches, s0, sai::switch_attr::pfc_dlr_packet_action, word(PacketAction::drop));
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), kPackets, 2) << "the queue's own action applies";
}

TEST_F(Effects, PfcThatIsOffDoesNotPauseInEitherMode)
{
    start(kStorm);
    step_ms(200);
    EXPECT_EQ(get(ports, port(kStormed), port_attr::priority_flow_control).u8, 0b0001'1000);
    set(ports, port(kStormed), port_attr::priority_flow_control, mask(0b0001'0000));
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), 2.0 * kPackets, 4);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::not_paused);
    EXPECT_FALSE(get(queues, queue(kStormed), queue_attr::pause_status).booldata);

    // Separate masks apply as soon as the mode is set: received pause is honoured again.
    set(ports, port(kStormed), port_attr::priority_flow_control_rx, mask(0b0000'1000));
    set(ports, port(kStormed), port_attr::priority_flow_control_tx, mask(0));
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), kPackets, 2);
    set(ports, port(kStormed), port_attr::priority_flow_control_mode, word(sai::PfcMode::separate));
    EXPECT_LE(arrive_in_100_ms(), 1U);
    EXPECT_EQ(state(queue(kStormed)), DeadlockState::paused_not_continuous) << "PFC was off since the last read";
}

TEST_F(Effects, AFullGroupPausesTheNeighbourIfPfcAllowsIt)
{
    auto scenario = std::string{kStorm};
    scenario += "[[switch]]\nlimit = \"20kB\"\n";
    start(scenario);
    const auto s1 = create("s1");
    const auto received = [&] { return stat(ports->get_stats, port(1, s1), sai::port_stat::pfc_rx_pkts(3)); };
    const auto sent = [&] { return stat(ports->get_stats, port(kUplink), sai::port_stat::pfc_tx_pkts(3)); };
    set(ports, port(kUplink), port_attr::priority_flow_control, mask(0));
    step_ms(200);
    EXPECT_EQ(received(), 0U);
    EXPECT_GT(stat(buffers->get_group_stats, group(kUplink), sai::group_stat::dropped_packets), 0U);
    set(ports, port(kUplink), port_attr::priority_flow_control, mask(0b0000'1000));
    step_ms(100);
    EXPECT_GT(received(), 0U);
    EXPECT_EQ(received(), sent());
    const auto there = stat(ports->get_stats, port(kUplink), sai::port_stat::if_in_ucast_pkts);
    step_ms(100);
    EXPECT_EQ(stat(ports->get_stats, port(kUplink), sai::port_stat::if_in_ucast_pkts), there)
        << "no more frames arrived";
}

TEST_F(Effects, APortThatIsDisabledOrTakesNoLongFramesSendsNothing)
{
    start(kStorm);
    set(ports, port(kStormed), port_attr::mtu, bytes(500));
    EXPECT_LE(arrive_in_100_ms(), 1U);
    step_ms(600);
    set(ports, port(kStormed), port_attr::mtu, bytes(9216));
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), kPackets, 2);
    set(ports, port(kStormed), port_attr::admin_state, boolean(false));
    EXPECT_LE(arrive_in_100_ms(), 1U);
    EXPECT_EQ(get(ports, port(kStormed), port_attr::oper_status).s32, static_cast<int>(sai::OperStatus::down));
    set(ports, port(kStormed), port_attr::admin_state, boolean(true));
    EXPECT_NEAR(static_cast<double>(arrive_in_100_ms()), kPackets, 2);
}

}  // namespace
}  // namespace petrel::test
