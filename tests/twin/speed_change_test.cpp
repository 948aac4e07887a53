// A link trains again and comes up at another speed: both ends send at that speed, the duration of a pause follows the
// speed, and a sender that must be paused stays paused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

constexpr BitRate k10G{10'000'000'000};
constexpr Ps kChange = kMs;
constexpr Ps kDown = kMs / 2;
constexpr Ps kUp = kChange + kDown;

constexpr Ps byte_time(BitRate speed) { return 8 * kSecond / speed.bps; }

TEST(SpeedChange, BothEndsSendAtTheNewSpeed)
{
    for (const auto& [before, after] : {std::pair{k100G, k10G}, std::pair{k10G, k100G}}) {
        auto set = one_switch(2, {before, std::chrono::microseconds{1}});
        set.flows = {open_loop(0, 1), open_loop(1, 0)};
        const auto twin = build(set);
        twin->capture(1, 1'000'000);
        twin->set_speed(1, after, kChange, kDown);
        twin->run_until(3 * kMs);
        for (const std::size_t end : {0U, 1U}) {
            const auto data = frames(*twin, 1, end, Kind::data);
            const Ps old_gap = kFrame * byte_time(before);
            // The other link keeps the old speed and may limit the rate towards end 0.
            const Ps new_gap = kFrame * byte_time(end == 0 && after > before ? before : after);
            EXPECT_EQ(data[20].at - data[19].at, old_gap);
            EXPECT_EQ(data.back().at - data[data.size() - 2].at, new_gap);
            const auto alive = std::count_if(data.begin(), data.end(),
                                             [](const auto& f) { return f.at > kChange + 200 * kUs && f.at < kUp; });
            EXPECT_EQ(alive, 0);
        }
        EXPECT_EQ(twin->switch_view(kSwitch).speed_bps(1), after.bps);
        EXPECT_EQ(twin->switch_view(kSwitch).speed_bps(0), before.bps);
        EXPECT_EQ(twin->nic_view(NodeId{1}).speed_bps(), after.bps);
        EXPECT_EQ(twin->switch_view(kSwitch).epoch(1), 3U);
        EXPECT_EQ(twin->nic_view(NodeId{1}).epoch(), 3U);
        EXPECT_GT(twin->totals().drops[Drop::link_down], 0U);
    }
}

TEST(SpeedChange, PauseEndsWithTheLinkAndHoldsByTheNewSpeed)
{
    const auto twin = build(one_switch(2));
    twin->set_speed(1, k10G, kChange, kDown);
    const auto pause_at = [&](Ps when) {
        storm(*twin, 1, {.priorities = kLosslessBit, .period = kSecond, .stop = when + 1}, when);
    };
    pause_at(kChange - 100 * kUs);
    pause_at(2 * kMs);
    const auto paused_for = [&](Ps when) {
        twin->run_until(when);
        return twin->switch_view(kSwitch).queue(1, kLossless, twin->now()).paused_for;
    };
    const auto cut_short = paused_for(kUp);
    EXPECT_NEAR(static_cast<double>(cut_short), 99 * kUs, kUs);
    EXPECT_EQ(paused_for(10 * kMs) - cut_short, 65'535 * kBitsOfQuantum * 100);
}

// The sender on the changed link must stay paused all the time: the switch for link 1, host 0 for link 0. This holds
// whether a pause lasts longer or shorter than before.
TEST(SpeedChange, AReceiverThatPausesPausesAgainAfterTheChange)
{
    for (const std::uint32_t link : {0U, 1U}) {
        for (const auto& [before, after] : {std::pair{k100G, k10G}, std::pair{k10G, k100G}}) {
            auto set = one_switch(2, {before, std::chrono::microseconds{1}});
            set.flows = {open_loop(0, 1)};
            set.switch_profiles[0].groups[kLossless].limit = fixed_limit(100'000);
            const auto twin = build(set);
            twin->at(NodeId{1}, 0, [&](Ps now) { twin->nic_view(NodeId{1}).stop_pipeline(now); });
            twin->set_speed(link, after, 5 * kMs, 10 * kMs);
            const auto ended = [&](Ps when) {
                twin->run_until(when);
                return link == 1 ? twin->switch_view(kSwitch).queue(1, kLossless, when).pauses_ended
                                 : twin->nic_view(NodeId{0}).read(kLossless, when).pauses_ended;
            };
            EXPECT_EQ(ended(4'900 * kUs), 0U);
            const auto flushed = ended(17 * kMs);
            EXPECT_EQ(ended(60 * kMs), flushed);
            const auto& drops = twin->totals().drops;
            EXPECT_EQ(drops.total(), drops[Drop::link_down]);
        }
    }
}

TEST(SpeedChange, ControlledFlowsUseTheNewSpeed)
{
    auto set = one_switch(2, {k10G, std::chrono::microseconds{1}});
    set.flows = {open_loop(0, 1)};
    set.flows[0].congestion_control = true;
    const auto twin = build(set);
    for (const std::uint32_t link : {0U, 1U})
        twin->set_speed(link, k100G, kChange, kDown);
    twin->run_until(2 * kMs);
    const auto before = twin->flow(0).delivered;
    twin->run_until(3 * kMs);
    EXPECT_NEAR(static_cast<double>(twin->flow(0).delivered - before), double{kMs} / (kFrame * kPsPerByte), 2);
}

}  // namespace
}  // namespace petrel::twin::test
