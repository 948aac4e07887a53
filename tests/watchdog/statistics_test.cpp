// The statistics of a queue and the evidence of an event.
#include <gtest/gtest.h>

#include "driver.hpp"

namespace petrel {
namespace {

using namespace watchdog;
using std::chrono::milliseconds;
using test::Driver;
using test::preset;
using test::Story;

TEST(Statistics, FreshQueueHasNone)
{
    Driver d{preset("sonic")};
    d.run_ms(1'000);
    EXPECT_EQ(d.stats(), QueueStats{});
}

TEST(Statistics, StormsAndTheirTimes)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(450);
    d.calm();
    EXPECT_EQ(d.stats().detected, 1U);
    EXPECT_EQ(d.stats().restored, 0U);
    EXPECT_EQ(d.stats().last_detected, instant_from_us(400'000));
    EXPECT_FALSE(d.stats().last_restored);
    EXPECT_EQ(d.stats().in_storm, milliseconds{50}) << "still running";
    d.run_ms(2'050);
    EXPECT_EQ(d.stats().restored, 1U);
    EXPECT_EQ(d.stats().last_restored, instant_from_us(2'500'000));
    EXPECT_EQ(d.stats().in_storm, milliseconds{2'100});
    d.run_ms(10'000);
    EXPECT_EQ(d.stats().in_storm, milliseconds{2'100}) << "over";
    d.storm();
    d.run_ms(500);
    EXPECT_EQ(d.stats().detected, 2U);
    EXPECT_EQ(d.stats().in_storm, milliseconds{2'200});
}

TEST(Statistics, AlertCountsAsAStorm)
{
    auto policy = preset("sonic");
    policy.action = Treatment::none;
    Driver d{policy};
    d.storm();
    d.run_ms(1'000);
    EXPECT_EQ(d.stats().detected, 1U);
    EXPECT_EQ(d.stats().in_storm, milliseconds{600});
}

void add_packets(Driver& d, std::uint64_t n)
{
    auto& c = d.queue().counters;
    c[Field::tx_packets] += n;
    c[Field::tx_drops] += 10 * n;
    c[Field::rx_packets] += 100 * n;
    c[Field::rx_drops] += 1000 * n;
}

TEST(Statistics, PacketsCountWhileMitigatedTotalAndLast)
{
    Driver d{preset("sonic")};
    const auto storm = [&](std::uint64_t before, std::uint64_t during) {
        add_packets(d, before);
        d.run_ms(100);
        d.storm();
        d.run_ms(400);
        EXPECT_EQ(d.phase(), Phase::mitigated);
        add_packets(d, during);
        d.run_ms(150);
        d.calm();
        d.run_ms(2'050);
        EXPECT_EQ(d.phase(), Phase::watching);
    };
    storm(7, 3);
    auto s = d.stats();
    EXPECT_EQ(s.tx_ok, 3U) << "frames sent before the storm do not count";
    EXPECT_EQ(s.tx_drop, 30U);
    EXPECT_EQ(s.rx_ok, 300U);
    EXPECT_EQ(s.rx_drop, 3'000U);
    EXPECT_EQ(s.tx_ok_last, 3U);
    storm(7, 2);
    s = d.stats();
    EXPECT_EQ(s.tx_ok, 5U);
    EXPECT_EQ(s.tx_drop, 50U);
    EXPECT_EQ(s.rx_ok, 500U);
    EXPECT_EQ(s.rx_drop, 5'000U);
    EXPECT_EQ(s.tx_ok_last, 2U);
    EXPECT_EQ(s.tx_drop_last, 20U);
    EXPECT_EQ(s.rx_ok_last, 200U);
    EXPECT_EQ(s.rx_drop_last, 2'000U);
}

TEST(Statistics, CountersThatWentBackwardsCountNothing)
{
    Driver d{preset("sonic")};
    d.storm();
    add_packets(d, 50);
    d.run_ms(400);
    add_packets(d, 5);
    d.queue().counters[Field::tx_drops] = 0;
    d.run_ms(100);
    EXPECT_EQ(d.stats().tx_ok, 0U);
    EXPECT_EQ(d.stats().rx_ok, 0U);
}

TEST(Statistics, LongestPauseBelowAStorm)
{
    Driver d{preset("sonic")};
    for (const std::int64_t ms : {150, 250, 50}) {
        d.run_ms(100);
        d.storm();
        d.run_ms(ms);
        d.calm();
        d.run_ms(50);
    }
    EXPECT_GT(d.stats().longest_pause, Duration::zero());
    EXPECT_LE(d.stats().longest_pause, milliseconds{250}) << "evidence rounds down";
    EXPECT_EQ(d.stats().detected, 0U);
}

TEST(Statistics, LongestPauseGoesOnThroughAStorm)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(10'000);
    EXPECT_EQ(d.stats().longest_pause, milliseconds{10'000});
}

TEST(Statistics, LongestPauseDoesNotBridgeQuiet)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(450);
    d.calm();
    d.run_ms(1'500);
    d.storm();  // pause again before T1: the same storm, but a new pause
    d.run_ms(150);
    EXPECT_LE(d.stats().longest_pause, milliseconds{450});
}

TEST(Statistics, EachQueueHasItsOwn)
{
    Driver d{preset("sonic"), 2};
    d.storm(1);
    d.run_ms(400);
    EXPECT_EQ(d.stats(0), QueueStats{});
    EXPECT_EQ(d.stats(1).detected, 1U);
}

TEST(Statistics, AreClearedByOrderExceptOfAStormThatGoesOn)
{
    Driver d{preset("sonic"), 2};
    for (const std::uint32_t row : {0U, 1U}) {
        d.storm(row);
    }
    d.run_ms(400);
    d.calm(0);
    d.run_ms(3'000);
    ASSERT_EQ(d.phase(0), Phase::watching);
    ASSERT_EQ(d.stats(0).restored, 1U);
    const auto going_on = d.stats(1);
    d.order(Order::Kind::clear);
    EXPECT_EQ(d.stats(0), QueueStats{});
    EXPECT_EQ(d.stats(1), going_on);
    EXPECT_EQ(d.phase(1), Phase::mitigated);
    d.storm(0);
    d.run_ms(500);
    EXPECT_EQ(d.stats(0).detected, 1U) << "the count restarts";
}

TEST(Statistics, OnlyTheNamedQueuesAreCleared)
{
    Driver d{preset("sonic"), 2};
    for (const std::uint32_t row : {0U, 1U}) {
        d.storm(row);
    }
    d.run_ms(400);
    d.calm(0);
    d.calm(1);
    d.run_ms(3'000);
    d.order(Order::Kind::clear, d.target(1));
    EXPECT_EQ(d.stats(0).detected, 1U);
    EXPECT_EQ(d.stats(1), QueueStats{});
}

// --- evidence

TEST(EventEvidence, ShowsTheTimeProvenTheLimitAndTheRule)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    const auto& e = d.last(EventKind::storm_detected);
    EXPECT_EQ(e.evidence.proven, milliseconds{400});
    EXPECT_EQ(e.evidence.limit, milliseconds{400});
    EXPECT_EQ(e.evidence.rule, d.dog().watchlist().runs.at(0).rule);
    EXPECT_EQ(e.action, Treatment::drop);
    EXPECT_EQ(e.policy, 0U);
    EXPECT_EQ(e.at, d.now());
}

TEST(EventEvidence, ShowsTheLooksItRestsOnNewestLast)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(400);
    const auto& evidence = d.last(EventKind::storm_detected).evidence;
    ASSERT_EQ(evidence.looks, 4U);
    std::uint64_t covered = 0;
    for (std::uint8_t i = 0; i < evidence.looks; ++i) {
        covered += evidence.last[i].dt_us;
        EXPECT_EQ(evidence.last[i].value[static_cast<std::size_t>(Field::pause_us)], 100'000U);
    }
    EXPECT_EQ(covered, 400'000U);
    EXPECT_EQ(evidence.last[0].pause & (kPausedBefore | kPausedNow | kTrailing), kPausedNow | kTrailing)
        << "the look in which it began";
    EXPECT_EQ(evidence.last[3].pause & (kPausedBefore | kPausedNow | kThroughout),
              kPausedBefore | kPausedNow | kThroughout);
}

TEST(EventEvidence, LateLookChargesTheTimeThatReallyPassed)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(100);
    auto& q = d.queue();
    q.readable = false;  // the next looks fail
    d.run_ms(600);
    q.readable = true;
    d.run_ms(100);
    const auto& evidence = d.last(EventKind::storm_detected).evidence;
    EXPECT_EQ(evidence.proven, milliseconds{800});
    EXPECT_EQ(d.story(), (Story{"800 storm_detected Ethernet0:3 proven", "800 do drop Ethernet0:3"}));
}

TEST(EventEvidence, ARestorationShowsTheQuietItRestsOn)
{
    Driver d{preset("sonic")};
    d.storm();
    d.run_ms(450);
    d.calm();
    d.run_ms(2'050);
    const auto& e = d.last(EventKind::storm_restored);
    EXPECT_EQ(e.evidence.proven, milliseconds{2'000});
    EXPECT_EQ(e.evidence.limit, milliseconds{2'000});
    EXPECT_EQ(e.cause, d.last(EventKind::storm_detected).seq);
    ASSERT_GT(e.evidence.looks, 0U);
    EXPECT_NE(e.evidence.last[e.evidence.looks - 1U].pause & kQuiet, 0);
}

TEST(EventEvidence, SequenceNumbersRiseByOne)
{
    Driver d{preset("sonic"), 3};
    for (std::uint32_t r = 0; r < 3; ++r) {
        d.storm(r);
    }
    d.run_ms(450);
    d.order(Order::Kind::release);
    std::uint64_t seq = 0;
    for (const auto& e : d.events()) {
        EXPECT_EQ(e.seq, ++seq);
        EXPECT_LT(e.cause, e.seq);
    }
    EXPECT_EQ(seq, 7U);
}

}  // namespace
}  // namespace petrel
