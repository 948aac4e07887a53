// A link of the twin goes down for a reason: the registers of both ends and the manager's history are as link_end.hpp
// states, and no pause survives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "fabric.hpp"
#include "link/link_keeper.hpp"

namespace petrel::twin::test {
namespace {

constexpr NodeId kNic{1};
constexpr std::uint32_t kLinkId = 1;  // between kSwitch and kNic

using Pair = std::pair<int, int>;

class LinkReason : public testing::Test {
protected:
    void SetUp() override
    {
        auto set = one_switch(2);
        set.flows = {open_loop(0, 1)};
        twin_ = build(set);
    }

    template <class Do>
    void on_switch(Ps when, Do something)
    {
        twin_->at(kSwitch, when, [this, something](Ps now) {
            auto view = twin_->switch_view(kSwitch);
            something(view, now);
        });
    }
    template <class Do>
    void on_nic(Ps when, Do something)
    {
        twin_->at(kNic, when, [this, something](Ps now) {
            auto view = twin_->nic_view(kNic);
            something(view, now);
        });
    }

    link::LinkReading a() const { return twin_->switch_view(kSwitch).link(kPort, twin_->now()); }
    link::LinkReading b() const { return twin_->nic_view(kNic).link(twin_->now()); }
    static Pair pair_of(const link::LinkReading& end) { return {end.registers.ldr, end.registers.nldr}; }

    void expect(Pair on_switch_port, Pair on_nic_port)
    {
        twin_->run_until(5 * kMs);
        EXPECT_EQ(pair_of(a()), on_switch_port);
        EXPECT_EQ(pair_of(b()), on_nic_port);
        EXPECT_FALSE(link::is_up(a().state));
        EXPECT_FALSE(link::is_up(b().state));
        EXPECT_FALSE(twin_->switch_view(kSwitch).link_up(kPort));
        EXPECT_FALSE(twin_->nic_view(kNic).link_up());
        twin_->totals();
    }

    std::unique_ptr<Twin> twin_;
};

TEST_F(LinkReason, TheSwitchSendsItsReason)
{
    on_switch(kMs, [](SwitchView& v, Ps now) { v.take_down(kPort, {39}, now); });
    expect({39, 0}, {0, 39});
}

TEST_F(LinkReason, TheNicSendsItsReason)
{
    on_nic(kMs, [](NicView& v, Ps now) { v.take_down({35}, now); });
    expect({0, 35}, {35, 0});
}

TEST_F(LinkReason, BothEndsSendTheirReasonsAtTheSameMoment)
{
    on_switch(kMs, [](SwitchView& v, Ps now) { v.take_down(kPort, {41}, now); });
    on_nic(kMs, [](NicView& v, Ps now) { v.take_down({32}, now); });
    expect({41, 32}, {32, 41});
}

TEST_F(LinkReason, BothEndsSendAndOneMessageIsLost)
{
    on_switch(kMs, [](SwitchView& v, Ps now) { v.take_down(kPort, {41}, now); });
    on_nic(kMs, [](NicView& v, Ps now) { v.take_down({32, false}, now); });
    expect({41, 0}, {32, 41});
}

TEST_F(LinkReason, TheMessageWithTheReasonIsLost)
{
    on_switch(kMs, [](SwitchView& v, Ps now) { v.take_down(kPort, {33, false}, now); });
    expect({33, 0}, {36, 0});
}

TEST_F(LinkReason, TheCableIsCut)
{
    twin_->cut(kLinkId, kMs);
    expect({36, 0}, {36, 0});
}

TEST_F(LinkReason, TheNicLosesPower)
{
    on_nic(kMs, [](NicView& v, Ps now) { v.lose_power(now); });
    expect({36, 0}, {0, 0});
}

TEST_F(LinkReason, TheSwitchPortLosesPower)
{
    on_switch(kMs, [](SwitchView& v, Ps now) { v.lose_power(kPort, now); });
    expect({0, 0}, {36, 0});
}

TEST_F(LinkReason, ADisabledPortSendsNoMessage)
{
    on_switch(kMs, [](SwitchView& v, Ps now) {
        auto off = v.registers(kPort);
        off.enabled = false;
        v.write(kPort, off, now);
    });
    expect({60, 0}, {0, 60});
    EXPECT_EQ(a().state, link::LinkState::disabled);
}

TEST_F(LinkReason, ANicThatIsSwitchedOff)
{
    on_nic(kMs, [](NicView& v, Ps now) { v.set_enabled(false, now); });
    expect({0, 33}, {33, 0});
}

// The switch port requires 25 Gb/s on each lane, and all lanes; the NIC accepts any.
class LinkPolicyReason : public LinkReason {
protected:
    void SetUp() override
    {
        auto set = one_switch(2);
        set.flows = {open_loop(0, 1)};
        set.link_policies = {{{kSwitch, kPort}, {0b1000, {25'000'000'000}}}, {{kNic, 0}, {0b1111, {}}}};
        twin_ = build(set);
    }
    // Both ends come back without a reason in their registers, after they have trained with this speed and width.
    void train(BitRate speed, std::uint8_t lanes)
    {
        on_switch(kMs, [](SwitchView& v, Ps now) { v.lose_power(kPort, now); });
        on_nic(kMs, [](NicView& v, Ps now) { v.lose_power(now); });
        twin_->set_speed(kLinkId, speed, kMs + kUs, kMs, lanes);
        on_switch(3 * kMs, [](SwitchView& v, Ps now) { v.bring_up(kPort, now); });
        on_nic(3 * kMs, [](NicView& v, Ps now) { v.bring_up(now); });
    }
};

TEST_F(LinkPolicyReason, TrainingBelowTheSpeedIs40)
{
    train({40'000'000'000}, kLanes);
    expect({40, 0}, {0, 40});
}

TEST_F(LinkPolicyReason, TrainingWithTooFewLanesIs41)
{
    train({50'000'000'000}, 2);
    expect({41, 0}, {0, 41});
}

TEST_F(LinkPolicyReason, TrainingWithinThePolicyStaysUp)
{
    train(k100G, kLanes);
    twin_->run_until(5 * kMs);
    EXPECT_EQ(a().state, link::LinkState::init);
    EXPECT_EQ(pair_of(a()), Pair(0, 0));
}

TEST_F(LinkPolicyReason, AnEarlierReasonIsKeptAndThePolicysIsCounted)
{
    twin_->set_speed(kLinkId, {10'000'000'000}, kMs, kMs);
    expect({36, 0}, {36, 0});
    EXPECT_EQ(a().suppressed, 1U);
    EXPECT_EQ(b().suppressed, 1U);
}

TEST_F(LinkPolicyReason, ALostLaneIs41)
{
    twin_->lose_lanes(kLinkId, 3, kMs);
    expect({41, 0}, {0, 41});
}

// Without a policy, the width must not change.
TEST_F(LinkReason, ALostLaneIs41AtBothEnds)
{
    twin_->lose_lanes(kLinkId, 3, kMs);
    expect({41, 41}, {41, 41});
}

TEST_F(LinkReason, ALostLaneThatBothEndsAcceptOnlyMakesTheLinkSlower)
{
    auto set = one_switch(2);
    set.flows = {open_loop(0, 1)};
    for (const topology::End port : {topology::End{kSwitch, kPort}, {kNic, 0}})
        set.link_policies.push_back({port, {0b1111, {}}});
    twin_ = build(set);
    twin_->capture(kLinkId, 1'000'000);
    twin_->lose_lanes(kLinkId, 2, kMs);
    twin_->run_until(2 * kMs);
    EXPECT_EQ(a().state, link::LinkState::active);
    EXPECT_EQ(pair_of(a()), Pair(0, 0));
    EXPECT_FALSE(twin_->switch_view(kSwitch).link_went_down(kPort));
    EXPECT_EQ(twin_->switch_view(kSwitch).speed_bps(kPort), 50'000'000'000U);
    EXPECT_EQ(twin_->nic_view(kNic).speed_bps(), 50'000'000'000U);
    const std::size_t nic_end = kNic == twin_->setup().topology.links[kLinkId].ends[0].node ? 0 : 1;
    const auto data = frames(*twin_, kLinkId, nic_end, Kind::data);
    EXPECT_EQ(data[20].at - data[19].at, kFrame * kPsPerByte);
    EXPECT_EQ(data.back().at - data[data.size() - 2].at, 2 * kFrame * kPsPerByte);
    EXPECT_EQ(twin_->totals().drops.total(), 0U) << "the switch pauses the sender at the new speed";
}

TEST_F(LinkReason, ABounceBringsItBackAndTheFirstReasonStaysUntilItIsArmed)
{
    on_switch(kMs, [](SwitchView& v, Ps now) { v.take_down(kPort, {39}, now); });
    on_switch(2 * kMs, [](SwitchView& v, Ps now) { v.bring_up(kPort, now); });
    on_nic(3 * kMs, [](NicView& v, Ps now) { v.take_down({35}, now); });
    on_nic(4 * kMs, [](NicView& v, Ps now) { v.bring_up(now); });
    twin_->run_until(5 * kMs);
    EXPECT_EQ(a().state, link::LinkState::init);
    EXPECT_EQ(b().state, link::LinkState::init);
    EXPECT_EQ(pair_of(a()), Pair(39, 0));
    EXPECT_EQ(pair_of(b()), Pair(0, 39));
    EXPECT_EQ(a().suppressed, 1U);
    EXPECT_EQ(a().event_at, WallTime{std::chrono::milliseconds{1}});
    EXPECT_GT(b().event_at, a().event_at - std::chrono::microseconds{1});

    EXPECT_FALSE(twin_->switch_view(kSwitch).arm_link(kPort, 7)) << "no such event";
    EXPECT_TRUE(twin_->switch_view(kSwitch).arm_link(kPort, 1));
    EXPECT_TRUE(twin_->switch_view(kSwitch).activate_link(kPort));
    EXPECT_TRUE(twin_->nic_view(kNic).arm_link(1));
    EXPECT_TRUE(twin_->nic_view(kNic).activate_link());
    EXPECT_EQ(pair_of(a()), Pair(0, 0));
    EXPECT_EQ(pair_of(b()), Pair(0, 0));
    EXPECT_EQ(a().state, link::LinkState::active);

    on_nic(6 * kMs, [](NicView& v, Ps now) { v.take_down({35}, now); });
    twin_->run_until(9 * kMs);
    EXPECT_EQ(a().registers, (link::Registers{0, 35, 2}));
    EXPECT_EQ(b().registers, (link::Registers{35, 0, 2}));
}

TEST_F(LinkReason, AManagerLogsEachFlapOnce)
{
    link::LinkKeeper keeper;
    const PortId port{DeviceId{kSwitch.value}, kPort};
    for (int i = 0; i < 10; ++i) {
        const auto begin = static_cast<Ps>(10 * i + 1) * kMs;
        twin_->cut(kLinkId, begin);
        twin_->repair(kLinkId, begin + 3 * kMs);
        for (const Ps look : {begin + kUs, begin + 2 * kMs, begin + 5 * kMs}) {
            twin_->run_until(look);
            keeper.sweep(std::array{link::PortReport{port, a(), true}},
                         WallTime{std::chrono::microseconds{look / kUs}});
        }
        const auto ack = keeper.arm({port, a(), true}, WallTime{});
        ASSERT_TRUE(ack);
        EXPECT_TRUE(twin_->switch_view(kSwitch).arm_link(kPort, *ack));
    }
    EXPECT_THAT(keeper.history(port).events(), testing::SizeIs(10));
    EXPECT_THAT(keeper.history(port).shown(), testing::SizeIs(8));
    for (const auto& event : keeper.history(port).events()) {
        EXPECT_EQ(event.ldr, 36);
        EXPECT_EQ(event.observed_at - event.event_at, std::chrono::milliseconds{2}) << "the second sweep logs it";
    }
}

TEST_F(LinkReason, NoPauseSurvivesALinkDown)
{
    on_nic(0, [](NicView& v, Ps now) { v.stop_pipeline(now); });
    twin_->run_until(kMs);
    ASSERT_TRUE(twin_->switch_view(kSwitch).queue(kPort, kLossless, twin_->now()).paused);
    on_switch(kMs, [](SwitchView& v, Ps now) { v.take_down(kPort, {39}, now); });
    twin_->run_until(2 * kMs);
    EXPECT_FALSE(twin_->switch_view(kSwitch).queue(kPort, kLossless, twin_->now()).paused);
    on_nic(2 * kMs, [](NicView& v, Ps now) { v.reboot(now); });
    on_switch(3 * kMs, [](SwitchView& v, Ps now) { v.bring_up(kPort, now); });
    twin_->run_until(3 * kMs);
    const auto before = twin_->flow(0).delivered;
    twin_->run_until(5 * kMs);
    EXPECT_FALSE(twin_->switch_view(kSwitch).queue(kPort, kLossless, twin_->now()).paused);
    EXPECT_GT(twin_->flow(0).delivered, before + 10'000);
    twin_->totals();
}

}  // namespace
}  // namespace petrel::twin::test
