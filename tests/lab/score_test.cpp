// How a watchdog is scored against the truth: which storms are caught, how late a detection may be, and what counts as
// a false action. Events are made by hand; scenarios/adversarial has them from real runs.
#include <gtest/gtest.h>

#include "codec/scenario/reader.hpp"
#include "lab/score.hpp"

namespace petrel::lab {
namespace {

using twin::kMs;
using twin::Ps;
using watchdog::EventKind;

// h0 at s0:Ethernet0, h1 at s1:Ethernet0; s0:Ethernet1 and s1:Ethernet1 are the two ends of one link. The storm is on
// that link, from 100 to 300 ms.
scenario::Scenario storm_between_switches(std::string_view priorities)
{
    const auto read = codec::read_scenario(R"(name = "x"
duration = "2s"
[topology]
kind = "dumbbell"
left = 1
right = 1
[[truth]]
port = "s0:Ethernet1"
from = "100ms"
until = "300ms"
priorities = )" + std::string{priorities},
                                           "test.toml");
    EXPECT_TRUE(read);
    return read.value_or(scenario::Scenario{});
}

constexpr std::uint32_t kH1 = 1;
constexpr std::uint32_t kS0 = 2;
constexpr std::uint32_t kS1 = 3;

ReportedEvent reported(Ps at, std::uint32_t node, std::uint16_t port, std::optional<std::uint8_t> priority,
                       EventKind kind = EventKind::storm_detected,
                       watchdog::Treatment action = watchdog::Treatment::drop)
{
    ReportedEvent event;
    event.node = scenario::NodeId{node};
    event.event.at = twin::to_instant(at);
    event.event.kind = kind;
    event.event.action = action;
    event.port = port;
    if (priority) {
        event.event.target.priority = Priority{*priority};
    }
    return event;
}

Score of(const std::vector<ReportedEvent>& events) { return score(storm_between_switches("3"), events); }

TEST(Score, WithoutEventsNothingIsCaught)
{
    const auto sum = of({});
    EXPECT_EQ(sum.storms, 1U);
    EXPECT_EQ(sum.caught, 0U);
    EXPECT_EQ(sum.latency, 0U);
    EXPECT_EQ(sum.false_actions, 0U);
}

TEST(Score, AStormIsCaughtAtEitherEndOfItsLink)
{
    for (const auto node : {kS0, kS1}) {
        const auto sum = of({reported(250 * kMs, node, 1, 3)});
        EXPECT_EQ(sum.caught, 1U) << node;
        EXPECT_EQ(sum.latency, 150 * kMs) << node;
        EXPECT_EQ(sum.false_actions, 0U) << node;
    }
}

TEST(Score, AnEventOfThePortCountsForEveryQueue)
{
    const auto sum = of({reported(250 * kMs, kS0, 1, std::nullopt, EventKind::pause_too_long)});
    EXPECT_EQ(sum.caught, 1U);
    EXPECT_EQ(sum.false_actions, 0U);
}

TEST(Score, TheFirstToFindItCounts)
{
    EXPECT_EQ(of({reported(150 * kMs, kS1, 1, 3), reported(250 * kMs, kS0, 1, 3)}).latency, 50 * kMs);
}

TEST(Score, EveryKindThatFindsAStorm)
{
    for (std::size_t i = 0; i < static_cast<std::size_t>(EventKind::count_); ++i) {
        const auto kind = static_cast<EventKind>(i);
        const bool finds = kind == EventKind::storm_detected || kind == EventKind::storm_alert ||
                           kind == EventKind::pause_too_long || kind == EventKind::nic_latched;
        EXPECT_EQ(of({reported(200 * kMs, kS0, 1, 3, kind)}).caught, finds ? 1U : 0U) << name(kind);
    }
}

// A detection up to 200 ms after the end of a storm counts as caught: a look may have been under way.
TEST(Score, Grace)
{
    EXPECT_EQ(of({reported(500 * kMs, kS0, 1, 3)}).caught, 1U);
    EXPECT_EQ(of({reported(500 * kMs, kS0, 1, 3)}).latency, 400 * kMs);
    EXPECT_EQ(of({reported(500 * kMs, kS0, 1, 3)}).false_actions, 0U);
    const auto late = of({reported(501 * kMs, kS0, 1, 3)});
    EXPECT_EQ(late.caught, 0U);
    EXPECT_EQ(late.latency, 0U);
    EXPECT_EQ(late.false_actions, 1U);
}

TEST(Score, TooEarlyIsFalse)
{
    EXPECT_EQ(of({reported(100 * kMs, kS0, 1, 3)}).caught, 1U);
    EXPECT_EQ(of({reported(99 * kMs, kS0, 1, 3)}).false_actions, 1U);
    const auto alert = of({reported(99 * kMs, kS0, 1, 3, EventKind::storm_alert)});
    EXPECT_EQ(alert.caught, 0U);
    EXPECT_EQ(alert.false_actions, 0U);
}

TEST(Score, AnotherQueueIsFalse)
{
    const auto sum = of({reported(200 * kMs, kS0, 1, 4), reported(200 * kMs, kS0, 0, 3), reported(200 * kMs, kH1, 0, 3),
                         reported(200 * kMs, kS1, 0, std::nullopt)});
    EXPECT_EQ(sum.caught, 0U);
    EXPECT_EQ(sum.false_actions, 4U);
}

TEST(Score, AnEventWithoutATreatmentIsNoFalseAction)
{
    const auto none = watchdog::Treatment::none;
    const auto sum = of({reported(200 * kMs, kS0, 0, 3, EventKind::storm_alert),
                         reported(200 * kMs, kS0, 0, 3, EventKind::storm_detected, none),
                         reported(200 * kMs, kS0, 0, 3, EventKind::storm_restored),
                         reported(200 * kMs, kS0, 0, 3, EventKind::mitigation_failed)});
    EXPECT_EQ(sum.false_actions, 0U);
    EXPECT_EQ(of({reported(200 * kMs, kS0, 1, 3, EventKind::storm_alert, none)}).caught, 1U);
}

// Each queue in a storm counts as one storm, and each has to be detected.
TEST(Score, EveryPriorityCounts)
{
    const auto sum =
        score(storm_between_switches("[3, 4, 6]"),
              {reported(150 * kMs, kS0, 1, 3), reported(180 * kMs, kS1, 1, 6), reported(190 * kMs, kS0, 1, 6)});
    EXPECT_EQ(sum.storms, 3U);
    EXPECT_EQ(sum.caught, 2U);
    EXPECT_EQ(sum.latency, 80 * kMs);
    EXPECT_EQ(sum.false_actions, 0U);
    const auto at_once = score(storm_between_switches("[3, 4, 6]"), {reported(150 * kMs, kS0, 1, std::nullopt)});
    EXPECT_EQ(at_once.caught, 3U);
}

TEST(Score, SumsOfRunsKeepTheLongestLatency)
{
    auto sum = of({reported(150 * kMs, kS0, 1, 3)});
    sum += of({reported(250 * kMs, kS0, 1, 3), reported(200 * kMs, kS0, 0, 3)});
    sum += of({});
    EXPECT_EQ(sum.storms, 3U);
    EXPECT_EQ(sum.caught, 2U);
    EXPECT_EQ(sum.latency, 150 * kMs);
    EXPECT_EQ(sum.false_actions, 1U);
}

}  // namespace
}  // namespace petrel::lab
