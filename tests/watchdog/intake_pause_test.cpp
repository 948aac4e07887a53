// What each combination of pause signals proves about an interval. A set bit is proven; a clear bit proves nothing. For
// valid intervals see intake_test.
#include "watchdog/intake.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <tuple>

#include "reader.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using test::kAll;
using test::kNot;
using test::kPartly;
using test::Reader;
using test::sample;

constexpr std::uint8_t kProofs = kThroughout | kTrailing;

TEST(IntakePause, TriStateCoversTheInterval)
{
    Reader row{bit(Field::pause_state)};
    row.read({0, {{Field::pause_state, kNot}}});
    row.read({1'000, {{Field::pause_state, kNot}}});
    EXPECT_EQ(row.pause(), kNotPausedNow | kQuiet | kQuietStill);
    row.read({2'000, {{Field::pause_state, kPartly}}});
    EXPECT_EQ(row.pause(), kPausedNow) << "paused now, but not all the time";
    row.read({3'000, {{Field::pause_state, kAll}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow | kThroughout);
    row.read({4'000, {{Field::pause_state, kPartly}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow)
        << "paused at both ends is not throughout if the device reports otherwise";
    row.read({5'000, {{Field::pause_state, kNot}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kNotPausedNow) << "quiet needs two reads that are not paused";
}

TEST(IntakePause, TriStateOverrulesTheInstantaneousState)
{
    Reader row{bit(Field::pause_state) | bit(Field::paused_now)};
    row.read({0, {{Field::pause_state, kPartly}, {Field::paused_now, 0}}});
    row.read({1'000, {{Field::pause_state, kAll}, {Field::paused_now, 0}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow | kThroughout);
}

// A storm of XOFF frames may turn into one of XON frames.
TEST(IntakePause, XonFramesAloneAreQuiet)
{
    Reader row{bit(Field::rx_xoff) | bit(Field::rx_xon)};
    row.read({0, {{Field::rx_xoff, 5}, {Field::rx_xon, 1}}});
    row.read({1'000, {{Field::rx_xoff, 5}, {Field::rx_xon, 9}}});
    EXPECT_EQ(row.pause(), kQuiet | kQuietStill);
}

TEST(IntakePause, BothEndsAloneProveNothingBetween)
{
    Reader row{bit(Field::paused_now)};
    row.read({0, {{Field::paused_now, 1}}});
    row.read({1'000, {{Field::paused_now, 1}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow);
}

TEST(IntakePause, BothEndsAndNoTransitionIsThroughout)
{
    Reader row{bit(Field::paused_now) | bit(Field::on2off)};
    row.read({0, {{Field::paused_now, 1}, {Field::on2off, 4}}});
    row.read({1'000, {{Field::paused_now, 1}, {Field::on2off, 4}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow | kThroughout);
    row.read({2'000, {{Field::paused_now, 1}, {Field::on2off, 5}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow) << "one pause ended in between";
    row.read({3'000, {{Field::paused_now, 0}, {Field::on2off, 6}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kNotPausedNow);
    row.read({4'000, {{Field::paused_now, 0}, {Field::on2off, 6}}});
    EXPECT_EQ(row.pause(), kNotPausedNow | kQuiet | kQuietStill);
    row.read({5'000, {{Field::paused_now, 0}, {Field::on2off, 7}}});
    EXPECT_EQ(row.pause(), kNotPausedNow) << "a pause began and ended between two quiet ends";
}

TEST(IntakePause, TransitionsThatWentBackwardsProveNothing)
{
    Reader row{bit(Field::paused_now) | bit(Field::on2off)};
    row.read({0, {{Field::paused_now, 1}, {Field::on2off, 4}}});
    row.read({1'000, {{Field::paused_now, 1}, {Field::on2off, 0}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow);
}

// At 100 Gbit/s a frame of full quanta holds 335 us: three of them cover a millisecond, two do not.
TEST(IntakePause, BothEndsAndFramesThatHoldItIsThroughout)
{
    Reader row{bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::rx_xon)};
    row.read({0, {{Field::paused_now, 1}, {Field::rx_xoff, 0}, {Field::rx_xon, 0}}});
    row.read({1'000, {{Field::paused_now, 1}, {Field::rx_xoff, 3}, {Field::rx_xon, 0}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow | kThroughout);
    row.read({2'000, {{Field::paused_now, 1}, {Field::rx_xoff, 5}, {Field::rx_xon, 0}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow);
}

TEST(IntakePause, FramesHoldNothingIfTheSpeedIsUnknown)
{
    Reader row{bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::rx_xon), 1, 0};
    row.read({0, {{Field::paused_now, 1}, {Field::rx_xoff, 0}, {Field::rx_xon, 0}}});
    row.read({1'000, {{Field::paused_now, 1}, {Field::rx_xoff, 1'000'000}, {Field::rx_xon, 0}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow);
}

TEST(IntakePause, FramesHoldLongerOnASlowerLink)
{
    Reader row{bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::rx_xon), 1, 10'000'000'000};
    row.read({0, {{Field::paused_now, 1}, {Field::rx_xoff, 0}, {Field::rx_xon, 0}}});
    row.read({3'355, {{Field::paused_now, 1}, {Field::rx_xoff, 1}, {Field::rx_xon, 0}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow | kThroughout);
    row.read({6'711, {{Field::paused_now, 1}, {Field::rx_xoff, 2}, {Field::rx_xon, 0}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow) << "a frame is rounded down, never up";
}

TEST(IntakePause, FramesHoldNothingWhereXonIsNotCounted)
{
    // One pause may have ended and another begun; their frames add up.
    Reader row{bit(Field::paused_now) | bit(Field::rx_xoff)};
    row.read({0, {{Field::paused_now, 1}, {Field::rx_xoff, 0}}});
    row.read({1'000, {{Field::paused_now, 1}, {Field::rx_xoff, 9}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kPausedNow);
}

TEST(IntakePause, AnXonOrAnUnknownXonBreaksThePause)
{
    Reader row{bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::rx_xon)};
    row.read({0, {{Field::paused_now, 1}, {Field::rx_xoff, 0}, {Field::rx_xon, 0}}});
    row.read({1'000, {{Field::paused_now, 1}, {Field::rx_xoff, 9}, {Field::rx_xon, 0}}});
    EXPECT_EQ(row.pause() & kProofs, kThroughout);
    row.read({2'000, {{Field::paused_now, 1}, {Field::rx_xoff, 18}, {Field::rx_xon, 1}}});
    EXPECT_EQ(row.pause() & kProofs, 0U);
    row.read({3'000, {{Field::paused_now, 1}, {Field::rx_xoff, 27}}});
    EXPECT_EQ(row.pause() & kProofs, 0U) << "the device counts XON but did not report how many";
}

TEST(IntakePause, FramesAndNothingSentProveItWithoutAnyState)
{
    for (const auto sent : {Field::tx_packets, Field::tx_bytes}) {
        Reader row{bit(Field::rx_xoff) | bit(Field::rx_xon) | bit(sent)};
        row.read({0, {{Field::rx_xoff, 0}, {Field::rx_xon, 0}, {sent, 10}}});
        row.read({1'000, {{Field::rx_xoff, 3}, {Field::rx_xon, 0}, {sent, 10}}});
        EXPECT_EQ(row.pause(), kThroughout);
        row.read({2'000, {{Field::rx_xoff, 6}, {Field::rx_xon, 0}, {sent, 11}}});
        EXPECT_EQ(row.pause(), 0U) << "the queue sent something";
        row.read({3'000, {{Field::rx_xoff, 8}, {Field::rx_xon, 0}, {sent, 11}}});
        EXPECT_EQ(row.pause(), 0U) << "too few frames to hold the queue";
    }
    Reader row{bit(Field::rx_xoff)};
    row.read({0, {{Field::rx_xoff, 0}}});
    row.read({1'000, {{Field::rx_xoff, 30}}});
    EXPECT_EQ(row.pause(), 0U) << "frames alone do not prove that they were obeyed";
}

// --- the run at the end of an interval

constexpr Fields kRun = bit(Field::paused_now) | bit(Field::on2off) | bit(Field::pause_us);

TEST(IntakePause, TrailingExactlyWhenThePauseTimeIsOneRunThatGoesOn)
{
    const auto after = [](std::uint64_t was, std::uint64_t is, std::uint64_t ended, std::uint64_t time) {
        Reader row{kRun};
        row.read({0, {{Field::paused_now, was}, {Field::on2off, 0}, {Field::pause_us, 0}}});
        row.read({1'000, {{Field::paused_now, is}, {Field::on2off, ended}, {Field::pause_us, time}}});
        return row.pause() & (kThroughout | kTrailing);
    };
    EXPECT_EQ(after(0, 1, 0, 400), kTrailing);
    EXPECT_EQ(after(0, 1, 1, 400), 0) << "two runs";
    EXPECT_EQ(after(0, 0, 1, 400), 0) << "the pause is over";
    EXPECT_EQ(after(1, 1, 0, 1'000), kThroughout);
    EXPECT_EQ(after(1, 1, 1, 400), 0) << "the time is shared by a run at each end";
}

TEST(IntakePause, TrailingNeedsEverySignalItRestsOn)
{
    const auto after = [](Fields known) {
        Reader row{kRun};
        for (const auto& [at, is, time] : {std::tuple{0, false, 0U}, std::tuple{1'000, true, 400U}}) {
            auto s = sample(0, {at, {{Field::paused_now, is ? 1U : 0U}, {Field::on2off, 0}, {Field::pause_us, time}}});
            s.known &= known;
            row.intake().begin();
            row.intake().put(s);
        }
        return row.pause() & kTrailing;
    };
    EXPECT_EQ(after(kRun), kTrailing);
    EXPECT_EQ(after(kRun & ~bit(Field::paused_now)), kTrailing) << "no pause ended, so this one goes on";
    for (const auto f : {Field::on2off, Field::pause_us}) {
        EXPECT_EQ(after(kRun & ~bit(f)), 0) << name(f);
    }
}

// --- quiet

TEST(IntakeQuiet, EachSignalAloneProvesIt)
{
    for (const auto f : {Field::pause_us, Field::rx_xoff, Field::rx_pfc}) {
        Reader row{bit(f)};
        row.read({0, {{f, 3}}});
        row.read({1'000, {{f, 3}}});
        EXPECT_EQ(row.pause(), kQuiet | kQuietStill) << name(f);
        row.read({2'000, {{f, 4}}});
        EXPECT_EQ(row.pause(), 0U) << name(f);
    }
}

TEST(IntakeQuiet, OneContradictingSignalIsEnough)
{
    constexpr Fields all = bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::pause_us);
    const auto quiet = [](std::uint64_t is, std::uint64_t frames, std::uint64_t time) {
        Reader row{all};
        row.read({0, {{Field::paused_now, 0}, {Field::rx_xoff, 0}, {Field::pause_us, 0}}});
        row.read({1'000, {{Field::paused_now, is}, {Field::rx_xoff, frames}, {Field::pause_us, time}}});
        return (row.pause() & kQuiet) != 0;
    };
    EXPECT_TRUE(quiet(0, 0, 0));
    EXPECT_FALSE(quiet(1, 0, 0));
    EXPECT_FALSE(quiet(0, 1, 0));
    EXPECT_FALSE(quiet(0, 0, 1));
}

TEST(IntakeQuiet, AnIntervalThatBeganPausedIsNotQuiet)
{
    // A pause outlasts its last XOFF frame: an interval without a frame may still be paused.
    Reader row{bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::on2off)};
    row.read({0, {{Field::paused_now, 1}, {Field::rx_xoff, 5}, {Field::on2off, 0}}});
    row.read({1'000, {{Field::paused_now, 0}, {Field::rx_xoff, 5}, {Field::on2off, 1}}});
    EXPECT_EQ(row.pause(), kPausedBefore | kNotPausedNow);
}

TEST(IntakeQuiet, FramesOfBothKindsProveOnlyQuiet)
{
    Reader row{bit(Field::rx_pfc) | bit(Field::tx_packets) | bit(Field::paused_now)};
    const auto read = [&](std::int64_t at, std::uint64_t frames, std::uint64_t is) {
        row.read({at, {{Field::rx_pfc, frames}, {Field::tx_packets, 0}, {Field::paused_now, is}}});
    };
    read(0, 0, 1);
    read(1'000, 1'000, 1);
    EXPECT_EQ(row.pause() & kProofs, 0U) << "a thousand frames of unknown kind hold nothing";
    read(2'000, 1'000, 0);
    read(3'000, 2'000, 0);
    EXPECT_EQ(row.pause(), kNotPausedNow | kQuiet | kQuietStill) << "the frames may be XON: then the state decides";
    read(4'000, 2'000, 0);
    EXPECT_EQ(row.pause(), kNotPausedNow | kQuiet | kQuietStill);
}

TEST(IntakeQuiet, FramesOfBothKindsWithoutAStateAreNotQuiet)
{
    Reader row{bit(Field::rx_pfc)};
    row.read({0, {{Field::rx_pfc, 0}}});
    row.read({1'000, {{Field::rx_pfc, 1}}});
    EXPECT_EQ(row.pause(), 0U);
}

TEST(IntakeQuiet, WhileMitigatedOnlySignalsThatSurviveCount)
{
    constexpr Fields all = bit(Field::paused_now) | bit(Field::rx_xoff) | bit(Field::pause_us);
    // The mitigation freezes the state and the pause time. Frames are still counted, and they go on.
    const auto bits = [](Fields survive, std::uint64_t frames) {
        auto can = test::able(all);
        can.survive = survive;
        Reader row{can};
        row.read({0, {{Field::paused_now, 0}, {Field::rx_xoff, 0}, {Field::pause_us, 0}}});
        row.read({1'000, {{Field::paused_now, 0}, {Field::rx_xoff, frames}, {Field::pause_us, 0}}});
        return row.pause() & (kQuiet | kQuietStill);
    };
    EXPECT_EQ(bits(all, 0), kQuiet | kQuietStill);
    EXPECT_EQ(bits(all, 9), 0);
    EXPECT_EQ(bits(bit(Field::rx_xoff), 0), kQuiet | kQuietStill);
    EXPECT_EQ(bits(bit(Field::rx_xoff), 9), 0);
    EXPECT_EQ(bits(bit(Field::pause_us), 9), 0) << "an XOFF frame is pause, whatever survives";
    EXPECT_EQ(bits(bit(Field::paused_now), 0), kQuiet | kQuietStill);
    EXPECT_EQ(bits(0, 0), kQuiet) << "no signal survives: nothing is proven";
}

// --- all bits against the true pauses

// The signals of a device may contradict each other: a state that is stuck at `paused` while the queue sends proves
// nothing.
RC_GTEST_PROP(IntakeLaw, OneSignalMustProvePauseAndNoneMayContradict, ())
{
    const auto objector = *rc::gen::element(Field::pause_us, Field::tx_packets, Field::tx_bytes);
    const bool by_state = *rc::gen::arbitrary<bool>();
    const auto dt_us = *rc::gen::inRange<std::int64_t>(100, 1'000'000);
    const auto most = objector == Field::pause_us     ? static_cast<std::uint64_t>(dt_us)
                      : objector == Field::tx_packets ? 4U
                                                      : 30'000U;
    const auto moved = *rc::gen::inRange<std::uint64_t>(0, most + 1);
    Reader row{bit(Field::pause_state) | bit(Field::paused_now) | bit(Field::on2off) | bit(objector)};
    const auto read = [&](std::int64_t at, std::uint64_t value) {
        auto s = sample(
            0, {at, {{Field::pause_state, kAll}, {Field::paused_now, 1}, {Field::on2off, 7}, {objector, value}}});
        s.known &= by_state ? ~bit(Field::paused_now) : ~bit(Field::pause_state);
        row.intake().begin();
        row.intake().put(s);
    };
    read(1, 50);
    read(1 + dt_us, 50 + moved);
    const bool fits = objector == Field::pause_us     ? 2 * moved + 1 >= static_cast<std::uint64_t>(dt_us)
                      : objector == Field::tx_packets ? moved <= 1
                                                      : moved <= 9'216;
    RC_TAG(fits ? "assumed" : "contradicted");
    RC_ASSERT(((row.pause() & kThroughout) != 0) == fits);
}

rc::Gen<test::Truth> any_pauses()
{
    const auto lengths = rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(1, 1'500), rc::gen::inRange(1, 4'000)));
    return rc::gen::map(lengths, [](const std::vector<std::pair<int, int>>& spans) {
        std::vector<test::Span> pauses;
        std::int64_t t = 0;
        for (const auto& [gap, length] : spans) {
            pauses.push_back({t + gap, t + gap + length});
            t += gap + length;
        }
        return test::Truth{std::move(pauses)};
    });
}

RC_GTEST_PROP(IntakeLaw, EveryBitIsTrueOfATruthfulDevice, ())
{
    constexpr std::array kUsed{Field::pause_state, Field::paused_now, Field::pause_us, Field::on2off, Field::rx_xoff};
    Fields fields = 0;
    for (const auto f : kUsed) {
        fields |= *rc::gen::arbitrary<bool>() ? bit(f) : 0U;
    }
    RC_PRE(fields != 0U);
    const auto truth = *any_pauses();
    // One XOFF holds the queue for 300 us here, so the speed must not imply more.
    Reader row{fields, 1, 65'535ULL * 512 * 1'000'000 / 300};
    std::int64_t before = 0;
    bool first = true;
    for (const auto step : *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 2'000))) {
        const auto now = before + step;
        const bool is = truth.paused_at(now);
        const auto state = !is ? kNot : truth.paused_throughout(before, now) ? kAll : kPartly;
        auto s = sample(0, {now,
                            {{Field::pause_state, state},
                             {Field::paused_now, is ? 1U : 0U},
                             {Field::pause_us, static_cast<std::uint64_t>(truth.pause_us(now))},
                             {Field::on2off, static_cast<std::uint64_t>(truth.ended(now))},
                             {Field::rx_xoff, static_cast<std::uint64_t>(truth.xoff(now))}}});
        row.intake().begin();
        row.intake().put(s);
        const auto bits = row.pause();
        const auto reading = [&](std::uint8_t wanted) { return (bits & wanted) != 0; };
        if (!first) {
            RC_ASSERT(!reading(kPausedBefore) || truth.paused_at(before));
            RC_ASSERT(!reading(kPausedNow) || is);
            RC_ASSERT(!reading(kNotPausedNow) || !is);
            RC_ASSERT(!reading(kThroughout) || truth.paused_throughout(before, now));
            RC_ASSERT(!reading(kTrailing) ||
                      (!truth.paused_at(before) && truth.paused_throughout(now - truth.pause_us(before, now), now)));
            if (reading(kQuiet) && has(fields, Field::pause_us)) {
                RC_ASSERT(truth.pause_us(before, now) == 0);
            }
            if (reading(kQuiet) && has(fields, Field::rx_xoff)) {
                RC_ASSERT(truth.xoff(now) == truth.xoff(before));
            }
            const bool state_known = has(fields, Field::pause_state) || has(fields, Field::paused_now);
            RC_ASSERT(!reading(kQuiet) || !state_known || (!is && !truth.paused_at(before)));
        }
        first = false;
        before = now;
    }
}

}  // namespace
}  // namespace petrel
