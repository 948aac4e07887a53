// Each treatment of a storm by software or by the hardware itself: drop, forward, squeeze, lossless mode off; the
// hardware's deadlock detection and its pause-too-long status.
#include <gtest/gtest.h>

#include <vector>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

constexpr std::uint8_t kOther = 4;

// Two hosts send to each other at half the line rate in two lossless classes; host 1 pauses one of them from 100 us to
// 2 ms.
class Storming : public testing::Test {
protected:
    static constexpr Ps kBegin = 100 * kUs;
    static constexpr Ps kEnd = 2 * kMs;
    static constexpr Ps kExpired = kEnd + 336 * kUs;  // the pause of the last frame has expired
    enum Flows : std::uint32_t { to_storm, from_storm, other_to_storm, other_from_storm };

    void SetUp() override
    {
        auto set = one_switch(2);
        set.switch_profiles[0].groups[kOther] = lossless_group();
        for (const std::uint8_t dscp : {kLossless, kOther})
            for (const std::uint32_t src : {0U, 1U}) {
                Flow flow = open_loop(src, 1 - src);
                flow.dscp = dscp;
                flow.rate = {40'000'000'000};
                flow.stop = 4 * kMs;
                set.flows.push_back(flow);
            }
        twin_ = build(set);
        storm(*twin_, 1, {.priorities = kLosslessBit, .period = 100 * kUs, .stop = kEnd}, kBegin);
    }

    template <class Change>
    void write(Ps when, Change change)
    {
        twin_->at(kSwitch, when, [this, change](Ps now) {
            PortRegisters wanted = view().registers(kPort);
            change(wanted);
            view().write(kPort, wanted, now);
        });
    }

    SwitchView view() const { return twin_->switch_view(kSwitch); }
    QueueReading queue(std::uint8_t port, std::uint8_t q = kLossless) const
    {
        return view().queue(port, q, twin_->now());
    }
    std::uint64_t delivered(Flows flow) const { return twin_->flow(flow).delivered; }
    DropCounts drops() const { return twin_->totals().drops; }

    // Packets that a flow delivers in the next 100 us; 468 at full rate.
    std::uint64_t in_100_us(Flows flow)
    {
        const auto before = delivered(flow);
        twin_->run_until(twin_->now() + 100 * kUs);
        return delivered(flow) - before;
    }

    std::unique_ptr<Twin> twin_;
};

TEST_F(Storming, OnlyThePausedQueueStandsStill)
{
    twin_->run_until(1 * kMs);
    EXPECT_TRUE(queue(kPort).paused);
    EXPECT_GT(queue(kPort).bytes, 0U);
    EXPECT_TRUE(view().group(0, kLossless).xoff);
    EXPECT_EQ(in_100_us(to_storm), 0U);
    EXPECT_NEAR(static_cast<double>(in_100_us(from_storm)), 468, 2);
    EXPECT_NEAR(static_cast<double>(in_100_us(other_to_storm)), 468, 2);
    EXPECT_NEAR(static_cast<double>(in_100_us(other_from_storm)), 468, 2);
    twin_->run_until(6 * kMs);
    EXPECT_EQ(drops().total(), 0U);
    EXPECT_EQ(delivered(to_storm), twin_->flow(to_storm).sent);
}

TEST_F(Storming, DropDiscardsWaitingArrivingAndReceivedFramesAndSendsNoPause)
{
    const auto set_all = [](bool on) {
        return [on](PortRegisters& r) {
            const std::uint8_t mask = on ? kLosslessBit : 0;
            r.ignore_pause = r.discard_egress = r.discard_ingress = r.send_no_pause = mask;
        };
    };
    write(1 * kMs, set_all(true));
    twin_->run_until(1 * kMs);
    const auto waiting = queue(kPort).bytes / 1'048;
    const auto sent_before = queue(kPort).tx_packets;
    ASSERT_GT(waiting, 0U);
    twin_->run_until(1 * kMs + 1);
    EXPECT_EQ(queue(kPort).bytes, 0U) << "flushed";
    EXPECT_EQ(queue(kPort).tx_drops, waiting);
    EXPECT_FALSE(view().group(0, kLossless).xoff);
    EXPECT_EQ(view().group(0, kLossless).bytes, 0U);

    twin_->run_until(1 * kMs + 20 * kUs);
    const auto paused_others = queue(0).pause_sent;
    const auto storm_frames = queue(kPort).rx_xoff;
    EXPECT_EQ(in_100_us(to_storm), 0U);
    EXPECT_EQ(in_100_us(from_storm), 0U) << "the group's ingress too";
    EXPECT_NEAR(static_cast<double>(in_100_us(other_to_storm)), 468, 2);
    EXPECT_NEAR(static_cast<double>(in_100_us(other_from_storm)), 468, 2);
    twin_->run_until(kEnd);
    EXPECT_EQ(queue(kPort).tx_packets, sent_before);
    EXPECT_EQ(queue(kPort).bytes, 0U);
    EXPECT_EQ(queue(0).pause_sent, paused_others) << "no pause because of a queue that drops";
    EXPECT_EQ(queue(kPort).pause_sent, 0U);
    EXPECT_GT(queue(kPort).rx_xoff, storm_frames + 5) << "the storm is still counted";
    EXPECT_EQ(drops()[Drop::mitigated_out], queue(kPort).tx_drops);
    EXPECT_EQ(drops()[Drop::mitigated_in], view().group(kPort, kLossless).rx_drops);
    EXPECT_GT(drops()[Drop::mitigated_in], 0U);

    write(kExpired, set_all(false));
    twin_->run_until(kExpired + 20 * kUs);
    const auto lost = drops().total();
    EXPECT_NEAR(static_cast<double>(in_100_us(to_storm)), 468, 2);
    EXPECT_NEAR(static_cast<double>(in_100_us(from_storm)), 468, 2);
    twin_->run_until(6 * kMs);
    EXPECT_EQ(drops().total(), lost);
}

TEST_F(Storming, ForwardSendsInSpiteOfThePause)
{
    write(1 * kMs, [](PortRegisters& r) { r.ignore_pause = kLosslessBit; });
    twin_->run_until(1 * kMs);
    const auto waiting = queue(kPort).bytes / 1'048;
    ASSERT_GT(waiting, 100U);
    const auto before = delivered(to_storm);
    twin_->run_until(1 * kMs + 300 * kUs);
    EXPECT_GT(delivered(to_storm), before + waiting);
    EXPECT_TRUE(queue(kPort).paused) << "the storm goes on, and is still seen";
    EXPECT_LT(queue(kPort).bytes / 1'048, waiting);
    twin_->run_until(6 * kMs);
    EXPECT_EQ(drops().total(), 0U);
    EXPECT_EQ(delivered(to_storm), twin_->flow(to_storm).sent);
}

TEST_F(Storming, APauseThatIsHonouredAgainStopsTheQueueAtOnce)
{
    write(1 * kMs, [](PortRegisters& r) { r.ignore_pause = kLosslessBit; });
    write(1'500 * kUs, [](PortRegisters& r) { r.ignore_pause = 0; });
    twin_->run_until(1'500 * kUs);
    const auto sent = queue(kPort).tx_packets;
    twin_->run_until(kEnd);
    EXPECT_LE(queue(kPort).tx_packets, sent + 1);
}

TEST_F(Storming, SqueezeDiscardsByLengthAndLeavesTheLinkUp)
{
    write(1 * kMs, [](PortRegisters& r) {
        r.max_frame_bytes = 63;
        r.pause_rx = 0;
    });
    twin_->run_until(1 * kMs + 300 * kUs);
    const auto sent = queue(kPort).tx_packets + queue(kPort, kOther).tx_packets;
    EXPECT_EQ(in_100_us(to_storm), 0U);
    EXPECT_EQ(in_100_us(other_to_storm), 0U) << "the whole port";
    EXPECT_EQ(queue(kPort).tx_packets + queue(kPort, kOther).tx_packets, sent);
    EXPECT_EQ(queue(kPort).bytes, 0U) << "no frame waits: the pause is ignored";
    EXPECT_NEAR(static_cast<double>(in_100_us(from_storm)), 468, 2) << "arriving frames are delivered";
    EXPECT_TRUE(view().link_up(kPort));
    EXPECT_EQ(drops().total(), drops()[Drop::frame_size]);
    write(kExpired, [](PortRegisters& r) {
        r.max_frame_bytes = 9'216;
        r.pause_rx = kLosslessBit | 1U << kOther;
    });
    twin_->run_until(kExpired + 20 * kUs);
    EXPECT_NEAR(static_cast<double>(in_100_us(to_storm)), 468, 2);
}

TEST_F(Storming, AFrameAsLongAsTheRegisterPasses)
{
    write(10 * kUs, [](PortRegisters& r) { r.max_frame_bytes = 1'048; });
    write(50 * kUs, [](PortRegisters& r) { r.max_frame_bytes = 1'047; });
    twin_->run_until(50 * kUs);
    EXPECT_EQ(drops().total(), 0U);
    twin_->run_until(90 * kUs);
    EXPECT_GT(drops()[Drop::frame_size], 0U);
}

TEST_F(Storming, LosslessOffDiscardsBothDirectionsAndNeitherObeysNorSendsPause)
{
    write(1 * kMs, [](PortRegisters& r) { r.lossless_off = kLosslessBit; });
    twin_->run_until(1 * kMs + 20 * kUs);
    const auto paused_others = queue(0).pause_sent;
    EXPECT_EQ(in_100_us(to_storm), 0U);
    EXPECT_EQ(in_100_us(from_storm), 0U);
    EXPECT_NEAR(static_cast<double>(in_100_us(other_to_storm)), 468, 2);
    EXPECT_EQ(queue(kPort).bytes, 0U);
    EXPECT_EQ(queue(0).pause_sent, paused_others);
    write(kExpired, [](PortRegisters& r) { r.lossless_off = 0; });
    twin_->run_until(kExpired + 20 * kUs);
    EXPECT_NEAR(static_cast<double>(in_100_us(to_storm)), 468, 2);
    EXPECT_NEAR(static_cast<double>(in_100_us(from_storm)), 468, 2);
}

// ---------------------------------------------------------------------------------------------------- hardware

struct Received {
    Interrupt::Kind kind;
    std::uint8_t queue;
    Ps at;
    bool operator==(const Received&) const = default;
};

class Hardware : public Storming {
protected:
    void SetUp() override
    {
        Storming::SetUp();
        view().on_interrupt([this](const Interrupt& i, Ps now) { received_.push_back({i.kind, i.queue, now}); });
    }

    // The first pause frame of the storm may wait for a data frame that is being sent.
    Ps paused_at()
    {
        twin_->run_until(kBegin + 10 * kUs);
        return twin_->now() - queue(kPort).paused_for;
    }

    std::vector<Received> received_;
};

TEST_F(Hardware, FindsADeadlockRecoversForTheIntervalAndFindsItAgain)
{
    view().set_deadlock_timers(kPort, kLossless, 300 * kUs, 200 * kUs);
    const Ps begin = paused_at();
    twin_->run_until(begin + 300 * kUs);
    const auto waiting = queue(kPort).bytes;
    EXPECT_GT(waiting, 0U);
    twin_->run_until(begin + 300 * kUs + 1);
    EXPECT_TRUE(view().recovering(kPort, kLossless));
    EXPECT_EQ(queue(kPort).bytes, 0U);
    EXPECT_EQ(in_100_us(to_storm), 0U) << "dropped";
    EXPECT_GT(drops()[Drop::mitigated_out], 400U);
    twin_->run_until(begin + 500 * kUs);
    EXPECT_TRUE(view().recovering(kPort, kLossless));
    twin_->run_until(begin + 500 * kUs + 1);
    EXPECT_FALSE(view().recovering(kPort, kLossless));
    twin_->run_until(4 * kMs);
    std::vector<Received> expected;
    for (Ps t = begin + 300 * kUs; t < kExpired; t += 500 * kUs) {
        expected.push_back({Interrupt::Kind::deadlock, kLossless, t});
        expected.push_back({Interrupt::Kind::recovered, kLossless, t + 200 * kUs});
    }
    EXPECT_EQ(received_.size(), 2 * 4U);
    EXPECT_EQ(received_, expected);
    EXPECT_EQ(queue(kPort).deadlocks, 4U);
}

// Pause during the recovery does not count: detection starts again when the recovery is over.
TEST_F(Hardware, StartsToWatchAgainWhenTheRecoveryIsOver)
{
    view().set_deadlock_timers(kPort, kLossless, 300 * kUs, 200 * kUs);
    const Ps begin = paused_at();
    storm(*twin_, 1, {.priorities = kLosslessBit, .quanta = 0, .period = kSecond, .stop = kEnd}, begin + 350 * kUs);
    twin_->run_until(begin + 360 * kUs);
    EXPECT_FALSE(queue(kPort).paused) << "an XON in between";
    twin_->run_until(begin + 900 * kUs);
    ASSERT_EQ(received_.size(), 3U);
    EXPECT_EQ(received_[2], (Received{Interrupt::Kind::deadlock, kLossless, begin + 800 * kUs}));
}

TEST_F(Hardware, MayForwardWhileItRecovers)
{
    view().set_deadlock_timers(kPort, kLossless, 300 * kUs, 200 * kUs);
    view().set_recovery_action(kPort, false);
    const Ps begin = paused_at();
    const auto sent_in = [&](Ps from, Ps to) {
        twin_->run_until(begin + from);
        const auto before = queue(kPort).tx_packets;
        twin_->run_until(begin + to);
        return queue(kPort).tx_packets - before;
    };
    EXPECT_EQ(sent_in(1 * kUs, 300 * kUs), 0U);
    EXPECT_GT(sent_in(300 * kUs, 500 * kUs), 1'000U);
    EXPECT_EQ(sent_in(501 * kUs, 800 * kUs), 0U);
    EXPECT_GT(sent_in(800 * kUs, 1'000 * kUs), 1'000U);
    EXPECT_EQ(drops().total(), 0U);
}

TEST_F(Hardware, DoesNotTakeShortPausesForADeadlock)
{
    view().set_deadlock_timers(kPort, kLossless, 3 * kMs, 200 * kUs);
    view().set_pause_limit(kPort, 3 * kMs);
    storm(*twin_, 1, {.priorities = kLosslessBit, .period = 100 * kUs, .stop = 10 * kMs}, kExpired + 100 * kUs);
    twin_->run_until(5 * kMs);
    EXPECT_TRUE(received_.empty());
    twin_->run_until(6 * kMs);
    EXPECT_EQ(received_.size(), 3U) << "pause too long, deadlock, recovered";
}

TEST_F(Hardware, ShowsTheChannelsThatPauseTooLong)
{
    view().set_pause_limit(kPort, 400 * kUs);
    storm(*twin_, 1, {.priorities = 1U << kOther, .period = 100 * kUs, .stop = kEnd}, 600 * kUs);
    const Ps begin = paused_at();
    const auto channels_at = [&](Ps when) {
        twin_->run_until(when);
        return view().pause_timeout(kPort, twin_->now());
    };
    EXPECT_EQ(channels_at(begin + 400 * kUs - 1), 0U);
    EXPECT_EQ(channels_at(begin + 400 * kUs), kLosslessBit);
    EXPECT_EQ(channels_at(1'100 * kUs), kLosslessBit | 1U << kOther);
    EXPECT_EQ(channels_at(kEnd), kLosslessBit | 1U << kOther);
    EXPECT_EQ(channels_at(kExpired + 100 * kUs), 0U);
    ASSERT_EQ(received_.size(), 2U);
    EXPECT_EQ(received_[0], (Received{Interrupt::Kind::pause_too_long, kLossless, begin + 400 * kUs}));
    EXPECT_EQ(received_[1].queue, kOther);
}

TEST_F(Hardware, DoesNotReportPauseThatThePortDoesNotHonour)
{
    view().set_pause_limit(kPort, 400 * kUs);
    storm(*twin_, 1, {.priorities = 1U, .period = 100 * kUs, .stop = kEnd}, 200 * kUs);
    twin_->run_until(kEnd);
    EXPECT_GT(queue(kPort, 0).paused_for, 400 * kUs);
    EXPECT_EQ(view().pause_timeout(kPort, twin_->now()), kLosslessBit);
    EXPECT_EQ(received_.size(), 1U);
}

TEST_F(Hardware, ShowsWhetherTheQueueWasPausedSinceTheLastLook)
{
    const auto look = [&](Ps when) {
        twin_->run_until(when);
        return view().continuous_pause(kPort, kLossless, twin_->now());
    };
    EXPECT_EQ(look(50 * kUs), ContinuousPause::not_paused);
    EXPECT_EQ(look(500 * kUs), ContinuousPause::not_continuous);
    EXPECT_EQ(look(900 * kUs), ContinuousPause::paused);
    EXPECT_EQ(look(kEnd), ContinuousPause::paused);
    EXPECT_EQ(look(3 * kMs), ContinuousPause::not_paused);
}

// Detectors work on queues, mitigations on priorities.
TEST(HardwareMaps, RecoveryOfAQueueConcernsThePrioritiesMappedToIt)
{
    auto set = one_switch(2);
    set.switch_profiles[0].queue_of_priority[kLossless] = 6;
    set.switch_profiles[0].queue_of_priority[6] = 0;
    set.flows = {open_loop(0, 1)};
    const auto twin = build(set);
    auto view = twin->switch_view(kSwitch);
    view.set_deadlock_timers(kPort, 6, 300 * kUs, 200 * kUs);
    storm(*twin, 1, holding(), 0);
    twin->run_until(450 * kUs);
    EXPECT_TRUE(view.recovering(kPort, 6));
    EXPECT_EQ(view.queue(kPort, 6, twin->now()).bytes, 0U);
    EXPECT_GT(twin->totals().drops[Drop::mitigated_out], 0U);
}

}  // namespace
}  // namespace petrel::twin::test
