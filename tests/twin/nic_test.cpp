// A NIC's receive side, its faults and repairs, and the cable: the effect on hosts that communicate with it.
#include <gtest/gtest.h>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

constexpr NodeId kSender{0};
constexpr NodeId kReceiver{1};

class Nic : public testing::Test {
protected:
    void SetUp() override
    {
        auto set = one_switch(2);
        set.flows = {open_loop(0, 1)};
        twin_ = build(set);
    }

    template <class Do>
    void at(Ps when, Do something)
    {
        twin_->at(kReceiver, when, [this, something](Ps now) { something(nic(), now); });
    }
    NicView nic() const { return twin_->nic_view(kReceiver); }
    NicReading reading() const { return nic().read(kLossless, twin_->now()); }
    std::uint64_t delivered() const { return twin_->flow(0).delivered; }
    DropCounts drops() const { return twin_->totals().drops; }

    std::unique_ptr<Twin> twin_;
};

TEST_F(Nic, ASlowNicReceivesAtItsRateAndLosesNothing)
{
    at(0, [](NicView v, Ps now) { v.limit_pipeline({25'000'000'000}, now); });
    twin_->run_until(1 * kMs);
    const auto before = delivered();
    twin_->run_until(3 * kMs);
    EXPECT_NEAR(static_cast<double>(delivered() - before), 2e-3 * 25e9 / 8 / 1'048, 1);
    EXPECT_EQ(drops().total(), 0U);
    EXPECT_GT(reading().pause_sent, 10U);
    EXPECT_LE(nic().buffered_bytes(), nic().profile().buffer_bytes);
}

TEST_F(Nic, ANicWithoutPauseLosesFramesUntilItIsRebooted)
{
    at(0, [](NicView v, Ps now) { v.stop_pipeline(now); });
    at(500 * kUs, [](NicView v, Ps now) { v.set_pause_tx(0, now); });
    twin_->run_until(500 * kUs);
    EXPECT_TRUE(reading().pausing);
    EXPECT_EQ(drops().total(), 0U);
    const auto frames = reading().pause_sent;
    twin_->run_until(2 * kMs);
    EXPECT_EQ(reading().pause_sent, frames);
    EXPECT_FALSE(reading().pausing);
    EXPECT_GT(drops()[Drop::nic_buffer], 1'000U);
    EXPECT_EQ(delivered(), 0U);

    at(2 * kMs, [](NicView v, Ps now) { v.reboot(now); });
    twin_->run_until(2 * kMs + 100 * kUs);
    EXPECT_EQ(nic().pause_tx(), 0xffU) << "a reboot enables pause again";
    EXPECT_GT(drops()[Drop::dead_host], 100U) << "the frames in its buffer are lost";
    EXPECT_EQ(nic().buffered_bytes(), 0U);
    EXPECT_GT(delivered(), 1'000U);
}

TEST_F(Nic, ARebootEndsItsStorms)
{
    at(100 * kUs, [](NicView v, Ps now) { v.start_storm(holding(), now); });
    at(1 * kMs, [](NicView v, Ps now) { v.reboot(now); });
    twin_->run_until(1 * kMs + 400 * kUs);
    const auto before = delivered();
    const auto frames = reading().pause_sent;
    twin_->run_until(2 * kMs);
    EXPECT_GT(delivered(), before);
    EXPECT_EQ(reading().pause_sent, frames);
}

TEST_F(Nic, ADeadHostNeitherReceivesNorPauses)
{
    at(50 * kUs, [](NicView v, Ps now) { v.limit_pipeline({10'000'000'000}, now); });
    at(100 * kUs, [](NicView v, Ps now) { v.die(now); });
    twin_->run_until(101 * kUs);
    const auto before = delivered();
    const auto frames = reading().pause_sent;
    twin_->run_until(1 * kMs);
    EXPECT_EQ(delivered(), before);
    EXPECT_EQ(reading().pause_sent, frames);
    EXPECT_GT(drops()[Drop::dead_host], 1'000U);
    EXPECT_FALSE(twin_->switch_view(kSwitch).queue(1, kLossless, twin_->now()).paused);
}

// ---------------------------------------------------------------------------------------------------- cable

TEST_F(Nic, ACutCableLosesTheFramesOnItAndThePause)
{
    at(0, [](NicView v, Ps now) { v.start_storm(holding(), now); });
    twin_->cut(1, 200 * kUs);
    twin_->repair(1, 300 * kUs);
    twin_->run_until(200 * kUs);
    auto view = twin_->switch_view(kSwitch);
    EXPECT_TRUE(view.queue(1, kLossless, twin_->now()).paused);
    const auto waiting = view.queue(1, kLossless, twin_->now()).bytes / 1'048;
    EXPECT_GT(waiting, 0U);
    twin_->run_until(250 * kUs);
    EXPECT_FALSE(view.link_up(1));
    EXPECT_FALSE(nic().link_up());
    EXPECT_EQ(view.epoch(1), 2U);
    EXPECT_FALSE(view.queue(1, kLossless, twin_->now()).paused);
    EXPECT_GE(drops()[Drop::link_down], waiting);
    EXPECT_TRUE(view.link_up(0));
    twin_->run_until(301 * kUs);
    EXPECT_TRUE(view.link_up(1));
    EXPECT_EQ(view.epoch(1), 3U);
    EXPECT_EQ(nic().epoch(), 3U);
    EXPECT_EQ(drops().total(), drops()[Drop::link_down]);
}

TEST_F(Nic, TheFarEndSeesATransmitterGoOffAfterTheCable)
{
    twin_->at(kSwitch, 200 * kUs, [&](Ps now) {
        auto view = twin_->switch_view(kSwitch);
        PortRegisters off = view.registers(1);
        off.enabled = false;
        view.write(1, off, now);
    });
    const Ps frame = 1'068 * kPsPerByte;  // the frame that is being sent is completed
    twin_->run_until(200 * kUs + kUs);
    EXPECT_TRUE(nic().link_up());
    twin_->run_until(200 * kUs + kUs + frame + 1);
    EXPECT_FALSE(nic().link_up());
    EXPECT_FALSE(twin_->switch_view(kSwitch).link_up(1));
    const auto before = delivered();
    twin_->run_until(400 * kUs);
    EXPECT_EQ(delivered(), before);
}

// ---------------------------------------------------------------------------------------------------- transport

constexpr Ps kWayThere = 2 * (1'068 * kPsPerByte + kUs);
constexpr Ps kWayBack = 2 * ((64 + 20) * kPsPerByte + kUs);

TEST(Transport, UnacknowledgedFramesAreSentAgainAfterTheTimeout)
{
    auto set = one_switch(2);
    set.flows = {{.src = kSender, .dst = kReceiver, .packets = 1}};
    const auto twin = build(set);
    twin->cut(1, 0);
    twin->repair(1, 10 * kUs);
    twin->run_until_flows_finish(kSecond);
    EXPECT_EQ(twin->flow(0).finished_at, 16 * kMs + kWayThere + kWayBack);
    EXPECT_EQ(twin->totals().drops[Drop::link_down], 1U);
}

TEST(Transport, AGapIsReportedAndCostsARoundTripNotATimeout)
{
    auto set = one_switch(2);
    set.flows = {{.src = kSender, .dst = kReceiver, .packets = 2'000}};
    const auto twin = build(set);
    twin->cut(1, 50 * kUs);
    twin->repair(1, 52 * kUs);
    twin->run_until_flows_finish(kSecond);
    const Ps undisturbed = 2'000 * 1'068 * kPsPerByte + kWayThere + kWayBack;
    EXPECT_GT(twin->flow(0).finished_at, undisturbed);
    EXPECT_LT(twin->flow(0).finished_at, undisturbed + 12 * kUs);
    EXPECT_EQ(twin->flow(0).delivered, 2'000U);
}

TEST(Transport, AWindowLimitsTheFramesInFlight)
{
    auto set = one_switch(2);
    set.flows = {{.src = kSender, .dst = kReceiver, .packets = 1'000}};
    set.flows[0].window_packets = 10;
    const auto twin = build(set);
    for (Ps t = 0; t != 100; ++t) {
        twin->run_until(t * kUs);
        EXPECT_LE(twin->flow(0).sent - twin->flow(0).acked, 10U);
    }
    twin->run_until_flows_finish(kSecond);
    // Ten packets per round trip.
    EXPECT_NEAR(static_cast<double>(twin->flow(0).finished_at), 100.0 * static_cast<double>(kWayThere + kWayBack),
                static_cast<double>(10 * 1'068 * kPsPerByte));
}

}  // namespace
}  // namespace petrel::twin::test
