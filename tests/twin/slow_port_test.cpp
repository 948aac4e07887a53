// A switch port with a faulty scheduler: it sends data too slowly or not at all. The link is up at its normal speed and
// not paused. In the end the port's senders are paused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

constexpr std::uint8_t kSick = 1;  // the port to host 1
constexpr Ps kBegin = 100 * kUs;

template <class Act>
void at_switch(Twin& twin, Ps when, Act act)
{
    twin.at(kSwitch, when, [&twin, act](Ps now) {
        auto view = twin.switch_view(kSwitch);
        act(view, now);
    });
}
void limit(Twin& twin, BitRate rate, Ps from)
{
    at_switch(twin, from, [rate](SwitchView& view, Ps now) { view.limit_egress(kSick, rate, now); });
}
void stop(Twin& twin, Ps from)
{
    at_switch(twin, from, [](SwitchView& view, Ps now) { view.stop_egress(kSick, now); });
}
void heal(Twin& twin, Ps from)
{
    at_switch(twin, from, [](SwitchView& view, Ps now) { view.heal_egress(kSick, now); });
}

// Host 0 sends to host 1 as fast as it can.
std::unique_ptr<Twin> busy()
{
    auto set = one_switch(2);
    set.flows = {open_loop(0, 1)};
    auto twin = build(set);
    twin->capture(1, 1'000'000);
    return twin;
}

RC_GTEST_PROP(SlowPort, SendsAtItsRate, ())
{
    const BitRate rate{*rc::gen::element<std::uint64_t>(10, 100, 1'000, 10'000, 50'000) * 1'000'000};
    const auto twin = busy();
    limit(*twin, rate, kBegin);
    const Ps gap = kFrame * 8 * kSecond / rate.bps;
    twin->run_until(kBegin + 5 * kUs + 20 * gap);
    const auto data = frames(*twin, 1, 0, Kind::data);
    const auto first = std::find_if(data.begin(), data.end(), [](const auto& f) { return f.at > kBegin + 2 * kUs; });
    RC_ASSERT(data.end() - first >= 15);
    for (auto next = first + 1; next != data.end(); ++next)
        RC_ASSERT(next->at - (next - 1)->at == gap);
}

TEST(SlowPort, ShowsOnlyABacklogAndPausesItsSenders)
{
    const auto twin = busy();
    limit(*twin, {1'000'000'000}, kBegin);
    twin->run_until(10 * kMs);
    const auto view = twin->switch_view(kSwitch);
    const auto queue = view.queue(kSick, kLossless, twin->now());
    EXPECT_FALSE(queue.paused);
    EXPECT_EQ(queue.rx_xoff, 0U);
    EXPECT_GT(queue.bytes, 500'000U);
    EXPECT_TRUE(view.link_up(kSick));
    EXPECT_EQ(view.epoch(kSick), 1U);
    EXPECT_EQ(view.speed_bps(kSick), k100G.bps);
    EXPECT_TRUE(view.group(0, kLossless).xoff);
    EXPECT_TRUE(twin->nic_view(NodeId{0}).read(kLossless, twin->now()).paused);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
}

TEST(SlowPort, MayStandStillAndStillSendsPause)
{
    auto set = one_switch(3);
    set.flows = {open_loop(0, 1), open_loop(1, 2)};
    const auto twin = build(set);
    twin->capture(1, 1'000'000);
    storm(*twin, 2, holding(), kBegin);  // so the switch has to pause host 1, through the faulty port
    const NodeId three{3};
    twin->at(three, kBegin, [&](Ps now) { twin->switch_view(three).stop_egress(kSick, now); });
    twin->run_until(5 * kMs);
    const auto data = frames(*twin, 1, 0, Kind::data);
    EXPECT_GT(data.size(), 1'000U);
    EXPECT_LT(data.back().at, kBegin + 2 * kUs);
    EXPECT_GT(frames(*twin, 1, 0, Kind::pfc).size(), 10U);
    EXPECT_TRUE(twin->nic_view(NodeId{1}).read(kLossless, twin->now()).paused);
}

TEST(SlowPort, SendsAtFullSpeedAfterTheFault)
{
    const auto twin = busy();
    stop(*twin, kBegin);
    heal(*twin, 5 * kMs);
    twin->run_until(5 * kMs);
    const auto before = twin->flow(0).delivered;
    twin->run_until(6 * kMs);
    EXPECT_NEAR(static_cast<double>(twin->flow(0).delivered - before), double{kMs} / (kFrame * kPsPerByte), 25);
    EXPECT_EQ(twin->totals().drops.total(), 0U);
}

// Pause from its peer holds the port as long as any other port, and can be ignored in the same way.
TEST(SlowPort, IsPausedLikeAnyOther)
{
    for (const bool ignored : {false, true}) {
        const auto twin = busy();
        limit(*twin, {10'000'000'000}, kBegin);
        at_switch(*twin, kBegin, [ignored](SwitchView& view, Ps now) {
            auto set = view.registers(kSick);
            set.ignore_pause = ignored ? kLosslessBit : 0;
            view.write(kSick, set, now);
        });
        storm(*twin, 1, {.priorities = kLosslessBit, .period = kSecond, .stop = 2 * kMs + 1}, 2 * kMs);
        twin->run_until(4 * kMs);
        EXPECT_EQ(twin->switch_view(kSwitch).queue(kSick, kLossless, twin->now()).paused_for, 335'539'200U);
        Ps longest = 0;
        const auto data = frames(*twin, 1, 0, Kind::data);
        for (std::size_t i = 1; i < data.size(); ++i)
            longest = std::max(longest, data[i].at - data[i - 1].at);
        const Ps usual = kFrame * 800;
        EXPECT_EQ(longest > 335 * kUs, !ignored);
        EXPECT_LE(longest, (ignored ? 0 : 335'539'200) + usual);
    }
}

TEST(SlowPort, StaysSlowWhenItsLinkReturns)
{
    const auto twin = busy();
    stop(*twin, kBegin);
    twin->cut(1, kMs);
    twin->repair(1, 2 * kMs);
    const auto before = [&] {
        twin->run_until(kMs);
        return twin->flow(0).delivered;
    }();
    twin->run_until(4 * kMs);
    EXPECT_TRUE(twin->switch_view(kSwitch).link_up(kSick));
    EXPECT_EQ(twin->flow(0).delivered, before);
}

}  // namespace
}  // namespace petrel::twin::test
