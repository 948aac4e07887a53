// A replay runs the agent in recorded time. It makes the same decisions as a live agent with looks at the same times,
// and every replay makes the same ones.
#include "runtime/replay.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/synthetic_switch.hpp"

namespace petrel::runtime {
namespace {

using namespace std::chrono_literals;
using watchdog::EventKind;
using watchdog::Field;
using watchdog::PauseState;
using watchdog::Phase;

constexpr auto kTracePoll = 100ms;
constexpr Target kQueue{PortId{DeviceId{0}, 0}, Priority{3}};

watchdog::PolicyBook sonic()
{
    watchdog::PolicyBook book;
    book.policies.push_back(watchdog::find_preset("sonic")->policy);
    book.assigned.push_back({0, std::nullopt, std::nullopt});
    return book;
}

// One queue with pause time and state, read at every poll. The storm lasts from poll `storm_from` to `storm_to`.
device::DeviceTrace trace_of(int polls, int storm_from, int storm_to)
{
    device::DeviceTrace trace;
    trace.device = "sw";
    trace.inventory.ports.push_back({"Ethernet0", "", std::nullopt});
    trace.inventory.rows.push_back({kQueue, BitRate{100'000'000'000}, true});
    trace.capabilities = device::SyntheticSwitch::everything();
    trace.capabilities.fields = trace.capabilities.survive =
        watchdog::bit(Field::pause_state) | watchdog::bit(Field::pause_us);
    for (int poll = 0; poll <= polls; ++poll) {
        watchdog::Sample sample;
        sample.read_at = Instant{poll * kTracePoll};
        sample.known = trace.capabilities.fields;
        sample.epoch = 1;
        sample.pause_state = poll > storm_from && poll <= storm_to ? PauseState::paused : PauseState::not_paused;
        sample[Field::pause_us] =
            static_cast<std::uint64_t>(std::clamp(poll - storm_from, 0, storm_to - storm_from)) * 100'000;
        trace.samples.push_back(sample);
        trace.time_us.push_back(whole_us(sample.read_at));
    }
    return trace;
}

Replayed replayed(const device::DeviceTrace& trace)
{
    auto result = replay(trace, device::pace_of(trace), sonic());
    EXPECT_TRUE(result.has_value());
    return std::move(*result);
}

// A storm that begins 3 ms after a poll. The recording has pause times and the number of pauses that ended.
Replayed storm_after_a_poll(Duration detect, Duration poll)
{
    auto trace = trace_of(0, 0, 0);
    trace.capabilities.fields = trace.capabilities.survive =
        watchdog::bit(Field::pause_us) | watchdog::bit(Field::on2off);
    trace.samples.clear();
    trace.time_us.clear();
    const Instant begin{10 * poll + 3ms};
    for (Instant at{}; at <= Instant{20 * poll}; at += poll) {
        watchdog::Sample sample;
        sample.read_at = at;
        sample.known = trace.capabilities.fields;
        sample.epoch = 1;
        sample[Field::pause_us] = static_cast<std::uint64_t>(at > begin ? whole_us(at - begin) : 0);
        trace.samples.push_back(sample);
        trace.time_us.push_back(whole_us(at));
    }
    auto book = sonic();
    book.policies.front().detect = detect;
    book.policies.front().poll = poll;
    return replay(trace, device::pace_of(trace), book).value();
}

TEST(Replay, PauseTimeAndTransitionsProveTheEndOfAnInterval)
{
    const auto result = storm_after_a_poll(300ms, 200ms);
    ASSERT_FALSE(result.events.empty());
    EXPECT_EQ(result.events[0].at, Instant{2400ms}) << "within T0 + T2 = 500 ms of 2003 ms";
}

TEST(Replay, StatesThePoliciesForWhichTheRowsAreTooFarApart)
{
    EXPECT_EQ(storm_after_a_poll(200ms, 200ms).unjudged, std::vector<std::string>{});
    EXPECT_EQ(storm_after_a_poll(150ms, 200ms).unjudged,
              std::vector<std::string>{"sonic: the rows of sw are 200 ms apart, more than detect_ms = 150: too coarse "
                                       "to judge this policy"});
}

TEST(Replay, FindsAndEndsAStorm)
{
    const auto result = replayed(trace_of(60, 10, 30));
    ASSERT_EQ(result.events.size(), 2U);
    EXPECT_EQ(result.events[0].kind, EventKind::storm_detected);
    EXPECT_EQ(result.events[0].at, Instant{1400ms});
    EXPECT_EQ(result.events[1].kind, EventKind::storm_restored);
    EXPECT_EQ(result.events[1].cause, result.events[0].seq);
    ASSERT_EQ(result.stats.size(), 1U);
    EXPECT_EQ(result.stats[0].detected, 1U);
    EXPECT_EQ(result.stats[0].restored, 1U);
    EXPECT_EQ(result.stats[0].in_storm, result.events[1].at - result.events[0].at);
    EXPECT_EQ(result.last_phase[0], Phase::watching);
}

TEST(Replay, PhasesAgreeWithEvents)
{
    const auto result = replayed(trace_of(60, 10, 30));
    ASSERT_EQ(result.phases.size(), 3U);
    EXPECT_EQ(result.phases[0].phase, Phase::watching);
    EXPECT_EQ(result.phases[0].at, Instant{});
    EXPECT_EQ(result.phases[1].phase, Phase::mitigated);
    EXPECT_EQ(result.phases[1].at, result.events[0].at);
    EXPECT_EQ(result.phases[2].phase, Phase::watching);
    EXPECT_EQ(result.phases[2].at, result.events[1].at);
}

TEST(Replay, AStormThatDoesNotEndStaysMitigated)
{
    const auto result = replayed(trace_of(40, 10, 100));
    ASSERT_EQ(result.events.size(), 1U);
    EXPECT_EQ(result.last_phase[0], Phase::mitigated);
    EXPECT_EQ(result.stats[0].in_storm, 2600ms);
}

TEST(Replay, TimersRunBetweenTheRows)
{
    auto book = sonic();
    book.policies[0].release = watchdog::Release::forced;
    book.policies[0].restore = 250ms;
    const auto trace = trace_of(17, 10, 100);
    const auto result = replay(trace, device::pace_of(trace), book);
    ASSERT_TRUE(result.has_value());
    ASSERT_EQ(result->events.size(), 2U);
    EXPECT_EQ(result->events[1].kind, EventKind::storm_restored);
    EXPECT_EQ(result->events[1].at, Instant{1650ms}) << "half-way between two rows";
}

TEST(Replay, ATraceWithoutTheNeededSignalsIsAComplaint)
{
    auto trace = trace_of(3, 10, 20);
    trace.capabilities.fields = watchdog::bit(Field::tx_packets);
    EXPECT_FALSE(replay(trace, device::pace_of(trace), sonic()).has_value());
}

TEST(Replay, AnEmptyTraceHasNoEvents)
{
    auto trace = trace_of(0, 10, 20);
    trace.samples.clear();
    trace.time_us.clear();
    EXPECT_TRUE(replayed(trace).events.empty());
}

RC_GTEST_PROP(Replay, IsDeterministicAndNeverEarly, ())
{
    const auto from = *rc::gen::inRange(0, 40);
    const auto length = *rc::gen::inRange(0, 40);
    const auto trace = trace_of(90, from, from + length);
    const auto once = replayed(trace);
    const auto again = replayed(trace);
    RC_ASSERT(once.events.size() == again.events.size());
    RC_ASSERT(once.stats == again.stats);
    RC_ASSERT((length >= 4) == !once.events.empty());
    if (!once.events.empty()) {
        RC_ASSERT(once.events.front().at == Instant{(from + 4) * kTracePoll});
    }
}

}  // namespace
}  // namespace petrel::runtime
