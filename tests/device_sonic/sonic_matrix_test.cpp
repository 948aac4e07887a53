// The eleven traces on which detectors differ, end to end: from syncd's counters through Redis to the agent, then to
// orchagent and back. Poll numbers are those of the table that all detectors are compared with.
#include <gmock/gmock.h>

#include <map>

#include "device_sonic/on_switch.hpp"
#include "peers/traces.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::EventKind;

struct Polls {
    std::vector<int> storms;  // poll numbers
    std::vector<int> restores;
};

void add(QueueCounters& counters, const peers::Step& step)
{
    counters.rx += step.rx;
    counters.on2off += step.on2off;
    counters.tx += step.tx;
    counters.pause_us += step.dur_us;
    counters.occupancy = step.occ;
    counters.paused = step.paused;
}

Polls play(const peers::Trace& trace, SonicSwitch::Setup setup = {})
{
    setup.action = trace.timers.alert ? "alert" : "drop";
    OnSwitch on{std::move(setup)};
    auto policy = OnSwitch::policy(std::chrono::microseconds{trace.timers.detect_us},
                                   std::chrono::microseconds{trace.timers.restore_us});
    policy.action = trace.timers.alert ? Treatment::none : Treatment::drop;
    on.start(policy);
    Polls found;
    int poll = 0;
    for (const auto& step : trace.steps) {
        on.runner_->events.clear();
        ++poll;
        add(on.sonic_->queue("Ethernet0:3"), step);
        on.poll(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::microseconds{trace.period_us}));
        for (int i = on.event_count(EventKind::storm_detected) + on.event_count(EventKind::storm_alert); i != 0; --i) {
            found.storms.push_back(poll);
        }
        for (int i = on.event_count(EventKind::storm_restored); i != 0; --i) {
            found.restores.push_back(poll);
        }
        EXPECT_EQ(on.event_count(EventKind::mitigation_failed), 0) << trace.id << poll;
    }
    const bool mitigated = !trace.timers.alert && found.storms.size() > found.restores.size();
    EXPECT_EQ(on.sonic_->of_queue("Ethernet0:3", "PFC_WD_STATUS"), mitigated ? "stormed" : "operational") << trace.id;
    EXPECT_EQ(on.sonic_->of_queue("Ethernet4:3", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"), "0") << "another queue";
    return found;
}

peers::Trace trace(char id)
{
    const auto all = peers::traces();
    return *std::ranges::find(all, id, &peers::Trace::id);
}

TEST(SonicMatrix, EveryTraceGivesTheEventsOfTheTable)
{
    PETREL_NEEDS_REDIS();
    const std::map<char, Polls> expected{{'A', {{5}, {16}}}, {'B', {{4}, {15}}}, {'C', {{4}, {16}}}, {'D', {}},
                                         {'E', {}},          {'F', {}},          {'G', {{4}, {12}}}, {'H', {{4}, {12}}},
                                         {'I', {{3}, {11}}}, {'J', {{4}, {}}},   {'K', {{4}, {}}}};
    for (const auto& each : peers::traces()) {
        const auto found = play(each);
        EXPECT_EQ(found.storms, expected.at(each.id).storms) << each.id << ": " << each.about;
        EXPECT_EQ(found.restores, expected.at(each.id).restores) << each.id << ": " << each.about;
    }
}

// Without syncd's time stamp the device finds a poll by the writes to the canaries, from one look after it chose them.
TEST(SonicMatrix, AnOlderSyncdWithoutStampsWorks)
{
    PETREL_NEEDS_REDIS();
    for (const char id : {'A', 'C', 'G', 'J', 'K'}) {
        const auto with = play(trace(id));
        const auto without = play(trace(id), {.stamps = false});
        EXPECT_EQ(with.storms, without.storms) << id;
        EXPECT_EQ(with.restores, without.restores) << id;
    }
}

// State and transitions only, as on some ASICs: a pause that begins between two polls is proven one poll later, and so
// is its end.
TEST(SonicMatrix, AnAsicWithoutPauseTimeIsJudgedByItsState)
{
    PETREL_NEEDS_REDIS();
    const SonicSwitch::Setup setup{.pause_time = false};
    EXPECT_THAT(play(trace('A'), setup).storms, ElementsAre(5));
    EXPECT_THAT(play(trace('C'), setup).storms, ElementsAre(5));
    EXPECT_THAT(play(trace('D'), setup).storms, IsEmpty());
    EXPECT_THAT(play(trace('F'), setup).storms, IsEmpty());
    EXPECT_THAT(play(trace('J'), setup).restores, IsEmpty());
    EXPECT_THAT(play(trace('G'), setup).restores, ElementsAre(13));
}

// The state alone, as on cisco-8000. A pause that begins between two polls is proven one poll later, and so is its end.
// Breaks that are shorter than a poll cannot be seen: D and E count as storms, as they do for SONiC's own script there.
// One packet sent in each interval is not a break.
TEST(SonicMatrix, AnAsicWithStateOnlyIsJudgedByIt)
{
    PETREL_NEEDS_REDIS();
    const SonicSwitch::Setup setup{.pause_time = false, .transitions = false};
    const std::map<char, Polls> expected{{'A', {{5}, {17}}}, {'B', {{4}, {16}}}, {'C', {{5}, {17}}}, {'D', {{5}, {17}}},
                                         {'E', {{5}, {17}}}, {'F', {}},          {'G', {{5}, {13}}}, {'H', {{5}, {13}}},
                                         {'I', {{4}, {12}}}, {'J', {{5}, {}}},   {'K', {{5}, {}}}};
    for (const auto& each : peers::traces()) {
        const auto found = play(each, setup);
        EXPECT_EQ(found.storms, expected.at(each.id).storms) << each.id << ": " << each.about;
        EXPECT_EQ(found.restores, expected.at(each.id).restores) << each.id << ": " << each.about;
    }
}

// Pause time and transitions, no state: a pause time that covers the interval proves nothing if a pause ended in it.
TEST(SonicMatrix, AnAsicWithoutStateIsJudgedByItsPauseTimeAndTheEndsOfPauses)
{
    PETREL_NEEDS_REDIS();
    const SonicSwitch::Setup setup{.pause_status = false};
    EXPECT_THAT(play(trace('C'), setup).storms, ElementsAre(4));
    auto broken = trace('D');
    for (auto& step : broken.steps) {
        step.dur_us = step.paused ? peers::kPollUs : 0;
    }
    EXPECT_THAT(play(broken, setup).storms, IsEmpty());
}

}  // namespace
}  // namespace petrel::test
