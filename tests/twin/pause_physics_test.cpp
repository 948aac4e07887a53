// Pause compared with formulas: how long a frame holds a port, how many frames hold it permanently, how fast a pause
// takes effect, how much headroom is needed to the byte, and that a receiver can keep its sender paused for as long as
// it needs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fabric.hpp"

namespace petrel::twin::test {
namespace {

constexpr std::uint32_t kOverhead = 20;

Ps pause_of(std::uint16_t quanta, BitRate speed) { return quanta * (kBitsOfQuantum * kSecond / speed.bps); }
Ps time_of(std::uint32_t bytes, BitRate speed) { return Ps{bytes} * (8 * kSecond / speed.bps); }

BitRate any_speed()
{
    return BitRate{*rc::gen::element<std::uint64_t>(10, 25, 40, 50, 100, 200, 400, 800) * 1'000'000'000};
}

// Host 0 sends to host 1, whose NIC sends a single pause frame.
RC_GTEST_PROP(PauseTime, IsQuantaTimes512BitTimes, ())
{
    const LinkShape link{any_speed(), std::chrono::nanoseconds{*rc::gen::inRange(1, 3'000)}};
    const Ps response = *rc::gen::element<Ps>(0, 1, 2'017'280);
    const auto quanta = *rc::gen::inRange<std::uint16_t>(1'000, 65'535);
    auto set = one_switch(2, link);
    set.flows.push_back(open_loop(0, 1));
    set.switch_profiles[0].pause.response = response;
    const auto twin = build(set);
    twin->capture(1, 1'000'000);
    const Ps start = 20 * kUs;
    storm(*twin, 1, {.priorities = kLosslessBit, .quanta = quanta, .period = kSecond, .stop = start + 1}, start);
    twin->run_until(start + 10 * kUs + pause_of(quanta, link.speed) + 40 * kUs);

    const auto pause = frames(*twin, 1, 1, Kind::pfc);
    RC_ASSERT(pause.size() == 1U);
    const Ps begins = pause[0].at + response;
    const Ps ends = begins + pause_of(quanta, link.speed);
    const auto data = frames(*twin, 1, 0, Kind::data);
    const Ps first_bit = time_of(1048 + kOverhead, link.speed) + static_cast<Ps>(link.delay.count());
    const auto after = std::find_if(data.begin(), data.end(), [&](auto& f) { return f.at - first_bit > begins; });
    RC_ASSERT(after != data.end());
    RC_ASSERT(after != data.begin());
    RC_ASSERT(after->at - first_bit == std::max(ends, (after - 1)->at - static_cast<Ps>(link.delay.count())));
    const auto reading = twin->switch_view(NodeId{2}).queue(1, kLossless, twin->now());
    RC_ASSERT(reading.paused_for == ends - begins);
    RC_ASSERT(reading.pauses_ended == 1U);
}

TEST(PauseTime, Of65535QuantaAsPublished)
{
    EXPECT_EQ(pause_of(65535, BitRate{10'000'000'000}) / kUs, 3'355U);
    EXPECT_EQ(pause_of(65535, k100G), 335'539'200U);
    EXPECT_EQ(pause_of(65535, BitRate{400'000'000'000}) / kNs, 83'884U);
}

// Frames that a host receives while its NIC sends this many pause frames with full quanta per second.
std::uint64_t leaks(std::uint64_t frames_per_second)
{
    auto set = one_switch(2);
    set.flows.push_back(open_loop(0, 1));
    set.flows[0].start = 10 * kUs;
    const auto twin = build(set);
    storm(*twin, 1, {.priorities = kLosslessBit, .period = kSecond / frames_per_second}, 0);
    twin->run_until(10 * kMs);
    return twin->flow(0).delivered;
}

TEST(Storm, HoldsAPortForGoodFrom2980FramesASecond)
{
    EXPECT_GT(leaks(2'979), 0U);
    EXPECT_EQ(leaks(2'981), 0U);
}

TEST(Link, CountsPreambleAndGap)
{
    for (const std::uint32_t overhead : {0U, 20U}) {
        auto set = one_switch(2);
        set.flows.push_back(open_loop(0, 1));
        if (overhead == 0)
            set.overhead_bytes = 0;  // 20 is the default
        const auto twin = build(set);
        twin->capture(1, 100);
        twin->run_until(10 * kUs);
        const auto data = frames(*twin, 1, 0, Kind::data);
        ASSERT_GT(data.size(), 2U);
        EXPECT_EQ(data[0].at, 2 * (kUs + (1048 + overhead) * kPsPerByte));
        EXPECT_EQ(data[1].at - data[0].at, (1048 + overhead) * kPsPerByte);
    }
}

// ---------------------------------------------------------------------------------------------------- headroom

// Host 0 sends at line rate to a host that receives nothing. The switch sends pause with the frame that exceeds the
// limit. The headroom must hold all frames that are sent until the pause takes effect: that frame, and all frames that
// begin within the time of one pause frame, two cables and the response.
struct HeadroomCase {
    LinkShape link;
    std::uint16_t frame_bytes;
    Ps response;

    std::uint32_t frames() const
    {
        const Ps frame = time_of(frame_bytes + kOverhead, link.speed);
        const Ps late = time_of(64 + kOverhead, link.speed) + 2 * static_cast<Ps>(link.delay.count()) + response;
        return static_cast<std::uint32_t>(late / frame + 2);
    }

    std::uint64_t drops_with(std::uint32_t headroom) const
    {
        auto set = one_switch(2, link);
        Flow flow = open_loop(0, 1);
        flow.frame_bytes = frame_bytes;
        flow.start = 10 * kUs;
        set.flows.push_back(flow);
        auto& group = set.switch_profiles[0].groups[kLossless];
        group.limit = fixed_limit(20U * frame_bytes);
        group.headroom_bytes = headroom;
        set.switch_profiles[0].buffer_bytes = 64U << 20U;
        set.nic_profiles[0].pause.response = response;
        const auto twin = build(set);
        storm(*twin, 1, holding(), 0);
        twin->run_until(10 * kUs + 2 * kMs);
        EXPECT_TRUE(twin->switch_view(NodeId{2}).group(0, kLossless).xoff);
        return twin->totals().drops[Drop::headroom];
    }
};

RC_GTEST_PROP(Headroom, IsEnoughToTheByte, ())
{
    const HeadroomCase any{{any_speed(), std::chrono::nanoseconds{*rc::gen::inRange(1, 3'000)}},
                           *rc::gen::inRange<std::uint16_t>(64, 9'217),
                           *rc::gen::element<Ps>(0, 1'000'000, 2'017'280)};
    const std::uint32_t enough = any.frames() * any.frame_bytes;
    RC_ASSERT(any.drops_with(enough) == 0U);
    RC_ASSERT(any.drops_with(enough - 1) == 1U);
    RC_ASSERT(any.drops_with(enough - any.frame_bytes) == 1U);
    if (any.frames() > 2)
        RC_ASSERT(any.drops_with(enough - any.frame_bytes - 1) == 2U);
}

// ---------------------------------------------------------------------------------------------------- refresh

// A host whose receive pipeline is stopped keeps its switch paused all the time, and each switch keeps its senders
// paused.
RC_GTEST_PROP(Refresh, ComesBeforeThePauseRunsOut, ())
{
    const LinkShape link{any_speed(), std::chrono::nanoseconds{*rc::gen::inRange(1, 2'000)}};
    // Long enough that a refresh can be sent between two frames of the longest size.
    const auto least = 6 * (9'216 + kOverhead) / 64;
    const auto quanta = *rc::gen::inRange<std::uint16_t>(static_cast<std::uint16_t>(least), 5'000);
    auto set = setup(topology::dumbbell(2, 1, link, link).value());
    set.switch_profiles[0].groups[kLossless].headroom_bytes = 1'500'000;
    set.switch_profiles[0].buffer_bytes = 24U << 20U;
    set.switch_profiles[0].pause.quanta = quanta;
    set.nic_profiles[0].pause.quanta = quanta;
    set.nic_profiles[0].buffer_bytes = 4U << 20U;
    set.flows = {open_loop(0, 2), open_loop(1, 2), open_loop(2, 0)};  // the last flow keeps the reverse direction busy
    for (auto& flow : set.flows)
        flow.frame_bytes = 9'216;
    set.flows[2].dscp = 0;
    const auto twin = build(set);
    twin->at(NodeId{2}, 0, [&](Ps now) { twin->nic_view(NodeId{2}).stop_pipeline(now); });
    const auto settled = time_of(16U << 20U, link.speed);
    twin->run_until(settled);
    const NodeId s0{3};
    const NodeId s1{4};
    const auto sent = [&](NodeId node, std::uint8_t port) {
        return twin->switch_view(node).queue(port, kLossless, twin->now()).tx_packets;
    };
    const auto to_host = sent(s1, 0);
    const auto to_s1 = sent(s0, 2);
    const auto by_host = twin->flow(0).sent;
    twin->run_until(settled + 60 * pause_of(quanta, link.speed));
    RC_ASSERT(sent(s1, 0) == to_host);
    RC_ASSERT(sent(s0, 2) == to_s1);
    RC_ASSERT(twin->flow(0).sent == by_host);
    RC_ASSERT(twin->switch_view(s1).queue(0, kLossless, twin->now()).pauses_ended == 0U);
    RC_ASSERT(twin->totals().drops.total() == 0U);
}

// ---------------------------------------------------------------------------------------------------- idle ports

// A pause also ends when it expires while no frame waits, or while the port is busy with another priority: the next
// frame is sent as soon as the pause is over and the port is free.
RC_GTEST_PROP(PauseTime, ExpiresWithoutAFrame, ())
{
    auto set = one_switch(3);
    const Ps begin = 334 * kUs + *rc::gen::inRange<Ps>(0, 4'000'000);
    set.flows = {open_loop(0, 2, 1), open_loop(1, 2, 1)};
    set.flows[0].start = begin;
    set.flows[1].start = begin + *rc::gen::inRange<Ps>(0, 1'000'000);
    set.flows[1].dscp = 0;
    set.flows[1].frame_bytes = 9'000;
    const auto twin = build(set);
    twin->capture(2, 100);
    storm(*twin, 2, {.priorities = kLosslessBit, .period = kSecond, .stop = kUs}, 0);
    twin->run_until(1 * kMs);
    const auto data = frames(*twin, 2, 0, Kind::data);
    RC_ASSERT(data.size() == 2U);
    const Ps small = (1048 + kOverhead) * kPsPerByte;
    const Ps large = (9'000 + kOverhead) * kPsPerByte;
    const Ps at_switch = begin + small + kUs;
    const Ps other_at_switch = set.flows[1].start + large + kUs;
    const Ps paused_until = (64 + kOverhead) * kPsPerByte + kUs + pause_of(65535, k100G);
    const Ps small_begins = std::max(at_switch, paused_until);
    const bool small_first = small_begins <= other_at_switch;
    const Ps first = small_first ? small_begins : other_at_switch;
    const Ps second = std::max(small_first ? other_at_switch : small_begins, first + (small_first ? small : large));
    RC_ASSERT(data[0].at == first + (small_first ? small : large) + kUs);
    RC_ASSERT(data[1].at == second + (small_first ? large : small) + kUs);
}

}  // namespace
}  // namespace petrel::twin::test
