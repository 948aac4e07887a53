// Time stamps that are wrong by up to the uncertainty that a device declares: pause time is compared with them over a
// whole run of intervals, the drift between the two is learned, and a clock is full earlier by the uncertainty.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "driver.hpp"
#include "reader.hpp"

namespace petrel::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using watchdog::kBroken;

constexpr std::int64_t kPollUs = 200'000;
constexpr std::int64_t kUncertainUs = 10'000;
constexpr Fields kDuration = bit(Field::pause_us) | bit(Field::tx_packets) | bit(Field::occupancy);
constexpr Fields kDurationAndState = bit(Field::pause_us) | bit(Field::paused_now) | bit(Field::on2off);

watchdog::Capabilities uncertain(Fields fields, std::int64_t us = kUncertainUs)
{
    auto can = able(fields);
    can.stamp_uncertainty = microseconds{us};
    return can;
}

struct Stamped {
    std::int64_t stamp_us{};
    std::int64_t pause_us{};
    std::uint64_t tx{};
    std::uint64_t backlog{};
};

Reader& read(Reader& reader, const Stamped& s)
{
    return reader.read({s.stamp_us,
                        {{Field::pause_us, static_cast<std::uint64_t>(s.pause_us)},
                         {Field::tx_packets, s.tx},
                         {Field::occupancy, s.backlog}}});
}

bool counts_as_paused(const Reader& reader)
{
    return reader.value(Field::pause_us) == reader.dt_us() && (reader.known() & kBroken) == 0;
}

RC_GTEST_PROP(UncertainStamps, DoNotBreakAPauseThatGoesOn, ())
{
    Reader reader{uncertain(kDuration)};
    const auto error = [] { return *rc::gen::inRange<std::int64_t>(0, kUncertainUs + 1); };
    std::int64_t first = 0;
    std::int64_t charged = 0;
    for (int i = 0; i != 30; ++i) {
        const auto stamp = i * kPollUs + error();
        read(reader, {stamp, i * kPollUs});
        if (i == 0) {
            first = stamp;
            continue;
        }
        RC_ASSERT(counts_as_paused(reader));
        charged += reader.dt_us();
        RC_ASSERT(charged <= stamp - first);
        RC_ASSERT(charged >= i * kPollUs - kUncertainUs);
    }
}

RC_GTEST_PROP(UncertainStamps, NeverCountMoreThanThePauseTimeAndTheUncertainty, ())
{
    Reader reader{uncertain(kDuration)};
    std::int64_t counted = 0;
    std::int64_t charged = 0;
    std::int64_t since = 0;
    read(reader, {0, 0});
    for (int i = 1; i != 40; ++i) {
        const auto more = *rc::gen::inRange<std::int64_t>(kPollUs * 9 / 10, kPollUs + 1);
        counted += more;
        read(reader, {i * kPollUs, counted});
        if (!counts_as_paused(reader)) {
            charged = since = 0;
            continue;
        }
        charged += reader.dt_us();
        since += more;
        RC_ASSERT(charged - since <= kUncertainUs);
    }
}

TEST(UncertainStamps, BreaksAddUpUntilTheyShow)
{
    Reader reader{uncertain(kDuration)};
    read(reader, {0, 0});
    EXPECT_TRUE(counts_as_paused(read(reader, {200'000, 200'000})));
    EXPECT_TRUE(counts_as_paused(read(reader, {400'000, 394'000})));
    EXPECT_FALSE(counts_as_paused(read(reader, {600'000, 588'000}))) << "12 ms are missing by now";
}

TEST(UncertainStamps, TheFirstIntervalCountsForThePauseTimeItHas)
{
    Reader reader{uncertain(kDuration)};
    read(reader, {0, 0});
    EXPECT_TRUE(counts_as_paused(read(reader, {200'000, 193'000})));
    EXPECT_EQ(reader.dt_us(), 193'000U) << "the pause may have begun 7 ms after the first read";
    EXPECT_TRUE(counts_as_paused(read(reader, {400'000, 385'000}))) << "8 ms are missing since";
}

TEST(UncertainStamps, AQueueThatSendsSeveralPacketsHadABreak)
{
    Reader reader{uncertain(kDuration)};
    read(reader, {0, 0, 0});
    EXPECT_TRUE(counts_as_paused(read(reader, {200'000, 199'000, 1}))) << "one packet was under way";
    EXPECT_FALSE(counts_as_paused(read(reader, {400'000, 399'000, 3})));
}

TEST(UncertainStamps, AnIntervalShorterThanTheUncertaintyProvesNothingWithoutPauseTime)
{
    Reader reader{uncertain(kDuration)};
    read(reader, {0, 0});
    read(reader, {5'000, 0});
    EXPECT_EQ(reader.value(Field::pause_us), 0U);
    EXPECT_NE(reader.pause() & watchdog::kQuiet, 0);
}

TEST(UncertainStamps, APauseThatEndedIsReportedAsItWas)
{
    Reader reader{uncertain(kDurationAndState)};
    const auto at = [&](std::int64_t us, std::uint64_t pause_us, bool paused, std::uint64_t ended) {
        reader.read({us, {{Field::pause_us, pause_us}, {Field::paused_now, paused}, {Field::on2off, ended}}});
    };
    at(0, 0, true, 0);
    at(200'000, 195'000, false, 1);
    EXPECT_EQ(reader.value(Field::pause_us), 195'000U);
}

// Stamps that run fast or slow against the pause counter: a queue that holds a backlog and sends nothing is paused.
RC_GTEST_PROP(StampDrift, UpToFivePercentDoesNotBreakAPause, ())
{
    Reader reader{uncertain(kDuration)};
    const auto ppm = *rc::gen::inRange<std::int64_t>(-45'000, 45'001);
    const auto error = [] { return *rc::gen::inRange<std::int64_t>(0, kUncertainUs + 1); };
    for (int i = 0; i != 40; ++i) {
        const auto stamp = i * (kPollUs + kPollUs * ppm / 1'000'000) + error();
        read(reader, {stamp, i * kPollUs, 0, 4096});
        RC_ASSERT(i == 0 || counts_as_paused(reader));
    }
    const auto learned = reader.intake().stamp_drift().ppm();
    RC_ASSERT(learned.has_value());
    // 1 ppm of stamps is a little less than 1 ppm of pause time; two errors of 10 ms in 8 s are 1,250 ppm each.
    RC_ASSERT(std::abs(*learned - ppm * 1'000'000 / (1'000'000 + ppm)) <= 3'000);
}

TEST(StampDrift, IsLearnedFromHeldQueuesOnly)
{
    Reader reader{uncertain(kDuration)};
    for (int i = 0; i != 40; ++i) {
        read(reader, {i * kPollUs, i * kPollUs, 0, 0});
    }
    EXPECT_EQ(reader.intake().stamp_drift().ppm(), std::nullopt) << "an empty queue may have had breaks";
}

TEST(StampDrift, OnceLearnedHelpsQueuesWithoutABacklog)
{
    Reader reader{uncertain(kDuration), 2};
    const auto put = [&](std::uint32_t row, int i, std::uint64_t backlog) {
        const Reading reading{i * 206'000LL,
                              {{Field::pause_us, static_cast<std::uint64_t>(i * kPollUs)},
                               {Field::tx_packets, 0},
                               {Field::occupancy, backlog}}};
        reader.intake().put(sample(row, reading));
    };
    const auto both = [&](int i) {
        reader.intake().begin();
        put(0, i, 4096);
        put(1, i, 0);
    };
    const auto empty_is_paused = [&] { return reader.value(Field::pause_us, 1) == reader.dt_us(1); };
    int broken = 0;
    for (int i = 0; i != 12; ++i) {
        both(i);
        broken += empty_is_paused() ? 0 : 1;
    }
    EXPECT_GT(broken, 0);
    for (int i = 12; i != 40; ++i) {
        both(i);
        EXPECT_TRUE(empty_is_paused()) << i;
    }
}

TEST(StampDrift, MoreThanFivePercentIsMissingPause)
{
    Reader reader{uncertain(kDuration)};
    int paused = 0;
    for (int i = 0; i != 20; ++i) {
        read(reader, {i * kPollUs, i * kPollUs * 85 / 100, 0, 4096});
        paused += i > 0 && counts_as_paused(reader) ? 1 : 0;
    }
    EXPECT_EQ(paused, 0);
}

// The uncertainty hides a break of 20 ms in one interval, but not in every interval.
TEST(StampDrift, TenPercentIsNeitherLearnedNorAPauseOfT0)
{
    Reader reader{uncertain(kDuration)};
    std::int64_t run = 0;
    for (int i = 0; i != 40; ++i) {
        read(reader, {i * kPollUs, i * kPollUs * 9 / 10, 0, 4096});
        run = i > 0 && counts_as_paused(reader) ? run + reader.dt_us() : 0;
        EXPECT_LT(run, 400'000 - kUncertainUs) << i;
    }
    EXPECT_EQ(reader.intake().stamp_drift().ppm(), std::nullopt);
}

// --- the clock

// T0 is a multiple of the poll, as by default on SONiC, and each of the polls comes early by 10 us.
TEST(UncertainStamps, TwoPollsThatAreALittleShortMakeT0)
{
    auto policy = preset("sonic");
    policy.poll = milliseconds{200};
    for (const auto us : {0, 1'000}) {
        Driver d{book_of(policy), small_inventory(1), uncertain(kDurationAndState, us)};
        d.storm();
        for (int i = 1; i != 4; ++i) {
            d.run_until_us(i * 199'990);
            d.poll();
        }
        const auto found = d.last(watchdog::EventKind::storm_detected);
        EXPECT_EQ(whole_us(found.at), us == 0 ? 599'970 : 399'980);
        EXPECT_EQ(found.evidence.limit, milliseconds{400} - microseconds{us});
    }
}

TEST(UncertainStamps, TheUncertaintyIsAtMostAQuarterOfT0)
{
    auto policy = preset("sonic");
    const auto list = watchdog::compile(book_of(policy), small_inventory(1), uncertain(kDurationAndState, 150'000));
    ASSERT_TRUE(list.has_value());
    EXPECT_NE(std::ranges::find(list->notes,
                                "sonic: time stamps of the device are uncertain by 150 ms, more than a quarter of "
                                "detect_ms = 400; storms may be found one poll late"),
              list->notes.end());
    Driver d{book_of(policy), small_inventory(1), uncertain(kDurationAndState, 150'000)};
    d.storm();
    d.run_ms(1'000);
    EXPECT_EQ(whole_us(d.last(watchdog::EventKind::storm_detected).at), 300'000);
}

}  // namespace
}  // namespace petrel::test
