// What the Intake accepts as an interval: first reads, stale and backward stamps, counters that wrap or reset, flapping
// links, looks at some rows only. For what an interval proves about pause see intake_pause_test.
#include "watchdog/intake.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "reader.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using test::kAll;
using test::kNot;
using test::kPartly;
using test::Reader;
using test::sample;

constexpr Fields kCounters = bit(Field::pause_us) | bit(Field::tx_packets);

// --- valid intervals

TEST(Intake, FirstReadEndsClocksAndProvesNothing)
{
    Reader row{bit(Field::pause_state) | kCounters};
    row.read({1'000, {{Field::pause_state, kAll}, {Field::pause_us, 900}, {Field::tx_packets, 7}}});
    EXPECT_EQ(row.dt_us(), 1U);
    EXPECT_EQ(row.known(), 0U);
    EXPECT_EQ(row.pause(), 0U);
}

TEST(Intake, SecondReadGivesTheDifferences)
{
    Reader row{kCounters};
    row.read({1'000, {{Field::pause_us, 900}, {Field::tx_packets, 7}}});
    row.read({3'500, {{Field::pause_us, 1'900}, {Field::tx_packets, 10}}});
    EXPECT_EQ(row.dt_us(), 2'500U);
    EXPECT_EQ(row.known(), kCounters);
    EXPECT_EQ(row.value(Field::pause_us), 1'000U);
    EXPECT_EQ(row.value(Field::tx_packets), 3U);
}

TEST(Intake, UnchangedStampIsNoSample)
{
    Reader row{kCounters};
    row.read({1'000, {{Field::pause_us, 0}, {Field::tx_packets, 0}}});
    row.read({2'000, {{Field::pause_us, 0}, {Field::tx_packets, 5}}});
    row.read({2'000, {{Field::pause_us, 0}, {Field::tx_packets, 6}}});
    EXPECT_EQ(row.dt_us(), 0U);
    EXPECT_TRUE(row.intake().view().touched.empty());
    row.read({3'000, {{Field::pause_us, 0}, {Field::tx_packets, 7}}});
    EXPECT_EQ(row.dt_us(), 1'000U);
    EXPECT_EQ(row.value(Field::tx_packets), 2U) << "a sample with an unchanged stamp is no baseline";
}

// --- rows whose counters prove nothing

// Reads the row every 100 ms. If `restarts`, its counters are cleared in between.
void read_for(Reader& row, int looks, bool restarts, std::int64_t& at_us)
{
    for (int i = 0; i < looks; ++i) {
        at_us += 100'000;
        const auto counted = static_cast<std::uint64_t>(restarts ? 97'000 - at_us / 100'000 : at_us);
        row.read({at_us, {{Field::pause_us, counted}, {Field::tx_packets, 0}}});
    }
}

TEST(BlindRows, CountersThatAreClearedAtEveryLook)
{
    Reader row{kCounters};
    std::int64_t at_us = 0;
    read_for(row, 5, false, at_us);
    read_for(row, 3, true, at_us);
    EXPECT_FALSE(row.intake().blind_rows().contains(Slot{0}));
    EXPECT_EQ(row.intake().blind_rows().changes(), 0U);
    read_for(row, 1, true, at_us);
    EXPECT_TRUE(row.intake().blind_rows().contains(Slot{0}));
    read_for(row, 7, false, at_us);
    EXPECT_TRUE(row.intake().blind_rows().contains(Slot{0}));
    read_for(row, 1, false, at_us);
    EXPECT_FALSE(row.intake().blind_rows().contains(Slot{0}));
    EXPECT_EQ(row.intake().blind_rows().changes(), 2U);
}

TEST(BlindRows, NewEpochsAtEveryLook)
{
    Reader row{kCounters};
    for (std::uint32_t look = 1; look <= 5; ++look) {
        row.read({look * 100'000, {{Field::pause_us, 0}, {Field::tx_packets, 0}}, look});
    }
    EXPECT_TRUE(row.intake().blind_rows().contains(Slot{0}));
}

// Cleared at the same time before each look, so that each look reads the same values.
TEST(BlindRows, PauseTimeThatStandsStillWhileTheQueueIsPaused)
{
    Reader row{bit(Field::paused_now) | kCounters};
    for (std::int64_t look = 1; look <= 5; ++look) {
        row.read({look * 100'000, {{Field::paused_now, 1}, {Field::pause_us, 97'000}, {Field::tx_packets, 0}}});
    }
    EXPECT_TRUE(row.intake().blind_rows().contains(Slot{0}));
}

TEST(Intake, AStampThatGoesBackProvesNothingAndRestartsTheRow)
{
    Reader row{kCounters};
    row.read({2'000'000, {{Field::pause_us, 0}, {Field::tx_packets, 5}}});
    row.read({1'000, {{Field::pause_us, 0}, {Field::tx_packets, 6}}});
    EXPECT_EQ(row.pause(), 0U);
    row.read({2'000, {{Field::pause_us, 0}, {Field::tx_packets, 9}}});
    EXPECT_EQ(row.dt_us(), 1'000U) << "a clock that was set back must not blind the row until it has caught up";
    EXPECT_EQ(row.value(Field::tx_packets), 3U);
}

TEST(Intake, StampsWithinOneMicrosecondAreTheSame)
{
    Reader row{kCounters};
    auto s = sample(0, {1'000, {{Field::pause_us, 0}, {Field::tx_packets, 0}}});
    row.intake().begin();
    row.intake().put(s);
    s.read_at += Duration{999};
    row.intake().begin();
    row.intake().put(s);
    EXPECT_EQ(row.dt_us(), 0U);
}

TEST(Intake, UnreadableRowLeavesTheLongerIntervalToTheNextRead)
{
    Reader row{kCounters};
    row.read({1'000, {{Field::pause_us, 0}, {Field::tx_packets, 1}}});
    row.read({2'000, {}});
    EXPECT_EQ(row.dt_us(), 0U);
    EXPECT_TRUE(row.intake().view().touched.empty());
    row.read({3'000, {{Field::pause_us, 0}, {Field::tx_packets, 9}}});
    EXPECT_EQ(row.dt_us(), 2'000U);
    EXPECT_EQ(row.value(Field::tx_packets), 8U);
}

TEST(Intake, FieldsThatTheDeviceNeverDeclaredAreNotTaken)
{
    Reader row{bit(Field::pause_us)};
    row.read({1'000, {{Field::pause_us, 0}, {Field::rx_xoff, 1}}});
    row.read({2'000, {{Field::pause_us, 5}, {Field::rx_xoff, 2}}});
    EXPECT_EQ(row.known(), bit(Field::pause_us));
    EXPECT_TRUE(row.intake().view().column(Field::rx_xoff).empty());
}

TEST(Intake, FieldMissingOnceIsUnknownForBothItsIntervals)
{
    Reader row{kCounters};
    row.read({1'000, {{Field::pause_us, 0}, {Field::tx_packets, 1}}});
    row.read({2'000, {{Field::pause_us, 0}}});
    EXPECT_EQ(row.known(), bit(Field::pause_us));
    row.read({3'000, {{Field::pause_us, 0}, {Field::tx_packets, 9}}});
    EXPECT_EQ(row.known(), bit(Field::pause_us)) << "eight packets in two intervals are not eight in one";
    row.read({4'000, {{Field::pause_us, 0}, {Field::tx_packets, 10}}});
    EXPECT_EQ(row.known(), kCounters);
    EXPECT_EQ(row.value(Field::tx_packets), 1U);
}

// --- counters that cannot be trusted

TEST(Intake, OneCounterBackwardsClearsTheCountersOfThatIntervalOnly)
{
    Reader row{kCounters | bit(Field::occupancy) | bit(Field::pause_state)};
    const auto read = [&](std::int64_t at, std::uint64_t paused, std::uint64_t sent) {
        row.read({at,
                  {{Field::pause_us, paused},
                   {Field::tx_packets, sent},
                   {Field::occupancy, 77},
                   {Field::pause_state, kPartly}}});
    };
    read(1'000, 500, 100);
    read(2'000, 600, 99);
    EXPECT_EQ(row.known(), bit(Field::occupancy) | bit(Field::pause_state)) << "levels are still known";
    EXPECT_EQ(row.value(Field::occupancy), 77U);
    read(3'000, 700, 101);
    EXPECT_EQ(row.known(), kCounters | bit(Field::occupancy) | bit(Field::pause_state));
    EXPECT_EQ(row.value(Field::tx_packets), 2U);
}

TEST(Intake, WrapOfANarrowCounterIsNoDifference)
{
    Reader row{kCounters};
    row.read({1'000, {{Field::pause_us, 0xffff'fff0}, {Field::tx_packets, 1}}});
    row.read({2'000, {{Field::pause_us, 0x10}, {Field::tx_packets, 2}}});
    EXPECT_EQ(row.known(), 0U);
}

TEST(Intake, ResetToZeroIsNoDifference)
{
    Reader row{kCounters};
    row.read({1'000, {{Field::pause_us, 12'345}, {Field::tx_packets, 99}}});
    row.read({2'000, {{Field::pause_us, 0}, {Field::tx_packets, 0}}});
    EXPECT_EQ(row.known(), 0U);
    EXPECT_EQ(row.pause() & (kQuiet | kQuietStill | kThroughout), 0U);
}

TEST(Intake, CounterOf64BitsThatReallyWrapsIsNoDifference)
{
    Reader row{kCounters};
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    row.read({1'000, {{Field::pause_us, 0}, {Field::tx_packets, most}}});
    row.read({2'000, {{Field::pause_us, 0}, {Field::tx_packets, 3}}});
    EXPECT_EQ(row.known(), 0U);
}

TEST(Intake, DifferencesAndLevelsSaturate)
{
    Reader row{bit(Field::tx_bytes) | bit(Field::occupancy)};
    row.read({1'000, {{Field::tx_bytes, 0}, {Field::occupancy, 0}}});
    row.read({2'000, {{Field::tx_bytes, 1ULL << 40U}, {Field::occupancy, 1ULL << 33U}}});
    EXPECT_EQ(row.value(Field::tx_bytes), 0xffff'ffffU);
    EXPECT_EQ(row.value(Field::occupancy), 0xffff'ffffU);
    EXPECT_EQ(row.known(), bit(Field::tx_bytes) | bit(Field::occupancy));
}

TEST(Intake, AVeryLongIntervalSaturates)
{
    Reader row{kCounters};
    row.read({0, {{Field::pause_us, 0}, {Field::tx_packets, 0}}});
    row.read({1LL << 40U, {{Field::pause_us, 0}, {Field::tx_packets, 0}}});
    EXPECT_EQ(row.dt_us(), 0xffff'ffffU);
}

TEST(Intake, ImplausibleJumpOfPauseTimeIsUnknown)
{
    Reader row{kCounters | bit(Field::pause_tx_us)};
    row.read({0, {{Field::pause_us, 0}, {Field::pause_tx_us, 0}, {Field::tx_packets, 0}}});
    // Up to four times the interval plus ten milliseconds may be due to a late stamp.
    row.read({100'000, {{Field::pause_us, 410'000}, {Field::pause_tx_us, 410'001}, {Field::tx_packets, 1}}});
    EXPECT_EQ(row.known(), bit(Field::pause_us) | bit(Field::tx_packets));
    row.read({200'000, {{Field::pause_us, 820'001}, {Field::pause_tx_us, 410'001}, {Field::tx_packets, 2}}});
    EXPECT_EQ(row.known(), bit(Field::pause_tx_us) | bit(Field::tx_packets)) << "the other counters still count";
}

// --- the link

TEST(Intake, EpochChangeProvesNothing)
{
    Reader row{kCounters | bit(Field::pause_state)};
    row.read({1'000, {{Field::pause_us, 0}, {Field::tx_packets, 0}, {Field::pause_state, kPartly}}, 1});
    row.read({2'000, {{Field::pause_us, 1'000}, {Field::tx_packets, 0}, {Field::pause_state, kAll}}, 2});
    EXPECT_EQ(row.dt_us(), 1'000U);
    EXPECT_EQ(row.known(), 0U);
    EXPECT_EQ(row.pause(), 0U);
    row.read({3'000, {{Field::pause_us, 2'000}, {Field::tx_packets, 0}, {Field::pause_state, kAll}}, 2});
    EXPECT_EQ(row.pause() & (kPausedBefore | kPausedNow | kThroughout), kPausedBefore | kPausedNow | kThroughout);
}

TEST(Intake, LinkDownIsReportedAndProvesNothingElse)
{
    Reader row{kCounters | bit(Field::pause_state)};
    row.read({1'000, {{Field::pause_us, 0}, {Field::tx_packets, 0}, {Field::pause_state, kNot}}, 4});
    for (const std::int64_t at : {2'000, 3'000}) {  // going down, and staying down
        row.read({at, {{Field::pause_us, 0}, {Field::tx_packets, 0}, {Field::pause_state, kNot}}, 0});
        EXPECT_EQ(row.pause(), kLinkDown);
        EXPECT_EQ(row.known(), 0U);
        EXPECT_EQ(row.dt_us(), 1'000U);
    }
    row.read({4'000, {{Field::pause_us, 0}, {Field::tx_packets, 0}, {Field::pause_state, kNot}}, 5});
    EXPECT_EQ(row.pause(), 0U) << "coming up again is no evidence either";
}

TEST(Intake, LinkDownShowsAtTheFirstRead)
{
    Reader row{kCounters};
    row.read({1'000, {{Field::pause_us, 0}}, 0});
    EXPECT_EQ(row.pause(), kLinkDown);
}

// --- looks at some rows

TEST(Intake, PartialLookTouchesOnlyItsRows)
{
    Reader rows{kCounters, 3};
    auto& intake = rows.intake();
    intake.begin();
    for (std::uint32_t r = 0; r < 3; ++r) {
        intake.put(sample(r, {1'000, {{Field::pause_us, 0}}}));
    }
    EXPECT_TRUE(intake.view().all);
    EXPECT_EQ(intake.view().touched.size(), 3U);

    intake.begin();
    EXPECT_FALSE(intake.view().all);
    EXPECT_TRUE(intake.view().touched.empty());
    intake.put(sample(2, {1'700, {{Field::pause_us, 0}}}));
    intake.put(sample(0, {1'600, {{Field::pause_us, 0}}}));
    ASSERT_EQ(intake.view().touched.size(), 2U);
    EXPECT_EQ(intake.view().touched[0], Slot{2});
    EXPECT_EQ(intake.view().touched[1], Slot{0});
    EXPECT_FALSE(intake.view().all);
    EXPECT_EQ(rows.dt_us(0), 600U);
    EXPECT_EQ(rows.dt_us(1), 0U) << "values of an earlier look must not count again";
    EXPECT_EQ(rows.dt_us(2), 700U);

    intake.begin();
    intake.put(sample(1, {2'500, {{Field::pause_us, 0}}}));
    EXPECT_EQ(rows.dt_us(0), 0U);
    EXPECT_EQ(rows.dt_us(1), 1'500U) << "a row that was left out is measured since its own last read";
}

// --- time

RC_GTEST_PROP(IntakeLaw, IntervalsAddUpWithoutLoss, ())
{
    // Stamps in nanoseconds that never fall on whole microseconds, some unchanged, some unreadable.
    Reader row{bit(Field::pause_us)};
    std::int64_t now_ns = *rc::gen::inRange<std::int64_t>(0, 5'000);
    const auto first_us = now_ns / 1'000;
    row.intake().begin();
    auto s = sample(0, {0, {{Field::pause_us, 0}}});
    s.read_at = Instant{Duration{now_ns}};
    row.intake().put(s);
    std::int64_t sum_us = 0;
    std::int64_t last_read_ns = now_ns;
    for (const auto step : *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 4'000))) {
        now_ns += step;
        s.read_at = Instant{Duration{now_ns}};
        s.known = step % 7 == 0 ? 0 : bit(Field::pause_us);
        last_read_ns = s.known == 0 ? last_read_ns : now_ns;
        row.intake().begin();
        row.intake().put(s);
        sum_us += row.dt_us();
    }
    RC_ASSERT(sum_us == last_read_ns / 1'000 - first_us);
}

}  // namespace
}  // namespace petrel
