// Each fault has its effect on the twin at its time.
#include <gtest/gtest.h>

#include "scenario/fault.hpp"
#include "topology/generators.hpp"

namespace petrel::scenario {
namespace {

using twin::kMs;
using twin::kUs;
using twin::Twin;

constexpr topology::LinkShape kLink{{10'000'000'000}, topology::Delay{1'000'000}};

// h0 and h1 on s0, both ways, in a lossless class.
class Faults : public testing::Test {
protected:
    Faults()
    {
        twin::Setup setup;
        setup.topology = *topology::single_switch(2, kLink);
        setup.switch_profiles[0].groups[3] = {true, 0, 4096, {}, 65'536, 0, 3072};
        setup.nic_profiles[0].retransmit_after = kMs;
        for (std::uint32_t i = 0; i < 2; ++i) {
            twin::Flow flow;
            flow.src = NodeId{i};
            flow.dst = NodeId{1 - i};
            flow.rate = {1'000'000'000};
            setup.flows.push_back(flow);
        }
        twin_ = std::move(*Twin::build(std::move(setup)));
    }

    void plan(Ps at, decltype(Fault::what) what) { schedule(std::vector{Fault{at, std::move(what)}}, *twin_); }
    std::uint64_t delivered_until(Ps end)  // to h0
    {
        twin_->run_until(end);
        return twin_->flow(1).delivered;
    }
    twin::QueueReading queue(std::uint8_t port) const
    {
        return twin_->switch_view(kSwitch).queue(port, 3, twin_->now());
    }

    static constexpr NodeId kSwitch{2};
    std::unique_ptr<Twin> twin_;
};

TEST_F(Faults, StormPausesUntilItIsStopped)
{
    twin::Storm storm;
    storm.priorities = 8;
    storm.period = kMs;
    plan(kMs, StartStorm{NodeId{0}, storm});
    plan(4 * kMs, StopStorms{NodeId{0}});
    EXPECT_EQ(queue(0).rx_xoff, 0U);
    twin_->run_until(3 * kMs);
    EXPECT_TRUE(queue(0).paused);
    EXPECT_FALSE(queue(1).paused);
    twin_->run_until(10 * kMs);
    EXPECT_FALSE(queue(0).paused);
    EXPECT_EQ(queue(0).rx_xoff, 4U);  // the last one at the time of the stop
}

TEST_F(Faults, StoppedPipelineFillsUpAndHeals)
{
    plan(kMs, StopPipeline{NodeId{0}});
    plan(20 * kMs, HealPipeline{NodeId{0}});
    const auto before = delivered_until(kMs);
    EXPECT_GT(before, 0U);
    EXPECT_LE(delivered_until(20 * kMs), before + 2);
    EXPECT_TRUE(queue(0).paused);
    EXPECT_GT(delivered_until(30 * kMs), before + 500);
}

TEST_F(Faults, SlowPipelineTakesItsRate)
{
    plan(0, LimitPipeline{NodeId{0}, {100'000'000}});
    // 1.25 MB in frames of 1,048 bytes, each with one of the 64-byte acknowledgements of what h0 sends itself.
    EXPECT_NEAR(static_cast<double>(delivered_until(100 * kMs)), 1'124, 2);
}

TEST_F(Faults, DeadHostTakesNothingAndARebootHelps)
{
    plan(kMs, KillHost{NodeId{0}});
    plan(5 * kMs, RebootHost{NodeId{0}});
    const auto before = delivered_until(kMs);
    EXPECT_LE(delivered_until(5 * kMs), before + 2);
    EXPECT_GT(twin_->totals().drops[twin::Drop::dead_host], 0U);
    EXPECT_GT(delivered_until(20 * kMs), before + 500);
}

TEST_F(Faults, ACutLinkCarriesNothingUntilRepaired)
{
    plan(kMs, CutLink{0});
    plan(5 * kMs, RepairLink{0});
    const auto before = delivered_until(kMs);
    twin_->run_until(3 * kMs);
    EXPECT_FALSE(twin_->switch_view(kSwitch).link_up(0));
    EXPECT_TRUE(twin_->switch_view(kSwitch).link_up(1));
    EXPECT_LE(delivered_until(5 * kMs), before + 2);
    EXPECT_GT(delivered_until(20 * kMs), before + 500);
}

TEST_F(Faults, PortsOfBothKindsGoOffAndOn)
{
    plan(kMs, SwitchPort{{kSwitch, 0}, false});
    plan(2 * kMs, SwitchPort{{kSwitch, 0}, true});
    plan(kMs, SwitchPort{{NodeId{1}, 0}, false});
    twin_->run_until(kMs + 100 * kUs);
    EXPECT_FALSE(twin_->nic_view(NodeId{0}).link_up());
    EXPECT_FALSE(twin_->switch_view(kSwitch).link_up(1));
    twin_->run_until(3 * kMs);
    EXPECT_TRUE(twin_->nic_view(NodeId{0}).link_up());
    EXPECT_FALSE(twin_->switch_view(kSwitch).link_up(1));
}

TEST_F(Faults, AnEndThatGoesDownForAReasonSendsIt)
{
    const auto down = [](topology::End end, twin::PortDown why) { return TakeDown{end, why}; };
    plan(kMs, down({kSwitch, 0}, {41, true}));
    plan(kMs, down({NodeId{1}, 0}, {35, false}));
    plan(5 * kMs, SwitchPort{{kSwitch, 0}, true});
    twin_->run_until(4 * kMs);
    const auto at_switch = twin_->switch_view(kSwitch);
    const auto registers = [&](const link::LinkReading& reading) {
        return std::pair{reading.registers.ldr, reading.registers.nldr};
    };
    using Pair = std::pair<std::uint8_t, std::uint8_t>;
    EXPECT_FALSE(at_switch.link_up(0));
    EXPECT_EQ(registers(at_switch.link(0, twin_->now())), Pair(41, 0));
    EXPECT_EQ(registers(twin_->nic_view(NodeId{0}).link(twin_->now())), Pair(0, 41));
    EXPECT_EQ(registers(at_switch.link(1, twin_->now())), Pair(36, 0));
    EXPECT_EQ(registers(twin_->nic_view(NodeId{1}).link(twin_->now())), Pair(35, 0));
    twin_->run_until(6 * kMs);
    EXPECT_TRUE(at_switch.link_up(0));
    EXPECT_FALSE(at_switch.link_up(1));
}

TEST_F(Faults, APortWithoutPowerForgetsItsReasons)
{
    plan(kMs, TakeDown{{kSwitch, 0}, {41, true}});
    plan(2 * kMs, SwitchPort{{kSwitch, 0}, true});
    plan(3 * kMs, LosePower{{kSwitch, 0}});
    plan(3 * kMs, LosePower{{NodeId{1}, 0}});
    twin_->run_until(5 * kMs);
    EXPECT_TRUE(twin_->switch_view(kSwitch).link(0, twin_->now()).registers.clear());
    EXPECT_TRUE(twin_->nic_view(NodeId{1}).link(twin_->now()).registers.clear());
    EXPECT_EQ(twin_->switch_view(kSwitch).link(1, twin_->now()).registers.ldr, link::kNeighborUnknown);
    EXPECT_FALSE(twin_->switch_view(kSwitch).link_up(0));
}

TEST_F(Faults, ALinkTrainsAndComesUpAtAnotherSpeed)
{
    plan(kMs, SetSpeed{0, {500'000'000}, 10 * kMs});
    twin_->run_until(5 * kMs);
    EXPECT_FALSE(twin_->switch_view(kSwitch).link_up(0));
    const auto before = delivered_until(20 * kMs);
    EXPECT_TRUE(twin_->switch_view(kSwitch).link_up(0));
    EXPECT_EQ(twin_->switch_view(kSwitch).speed_bps(0), 500'000'000U);
    EXPECT_EQ(twin_->nic_view(NodeId{0}).speed_bps(), 500'000'000U);
    // 6.25 MB in frames of 1,068 bytes and acknowledgements of 84, plus or minus retransmissions.
    EXPECT_NEAR(static_cast<double>(delivered_until(120 * kMs) - before), 5'425, 110);
}

TEST_F(Faults, SlowPortSendsAtItsRateOrNotAtAllUntilItHeals)
{
    const topology::End port{kSwitch, 0};
    plan(0, SlowPort{port, BitRate{100'000'000}});
    plan(100 * kMs, SlowPort{port, std::nullopt});
    plan(110 * kMs, HealPort{port});
    // As for the slow pipeline above, with preamble and gap: 1,068 bytes, and 84 for an acknowledgement.
    const auto slow = delivered_until(100 * kMs);
    EXPECT_NEAR(static_cast<double>(slow), 1'085, 2);
    EXPECT_LE(delivered_until(110 * kMs), slow + 1);
    EXPECT_EQ(queue(0).rx_xoff, 0U);
    EXPECT_GT(delivered_until(120 * kMs), slow + 500);
}

TEST_F(Faults, RoutesAreSetRemovedAndRestored)
{
    plan(kMs, SetRoute{kSwitch, NodeId{0}, {}});
    plan(5 * kMs, SetRoute{kSwitch, NodeId{0}, {0}});
    plan(10 * kMs, SetRoute{kSwitch, NodeId{0}, {}});
    plan(15 * kMs, Reroute{});
    const auto before = delivered_until(kMs);
    EXPECT_LE(delivered_until(5 * kMs), before + 2);
    const auto with_route = delivered_until(10 * kMs);
    EXPECT_GT(with_route, before + 100);
    EXPECT_LE(delivered_until(15 * kMs), with_route + 2);
    EXPECT_GT(delivered_until(20 * kMs), with_route + 100);
    EXPECT_GT(twin_->totals().drops[twin::Drop::no_route], 0U);
}

TEST_F(Faults, AlphaLimitsTheBytesOfAGroup)
{
    twin::Storm storm;
    storm.priorities = 8;
    storm.period = kMs;
    plan(0, StartStorm{NodeId{0}, storm});
    plan(0, SetAlpha{kSwitch, {1}, 3, -8});  // 48 KB of 12 MB, reached after 0.4 ms
    twin_->run_until(kMs);
    EXPECT_TRUE(twin_->switch_view(kSwitch).group(1, 3).xoff);
}

}  // namespace
}  // namespace petrel::scenario
