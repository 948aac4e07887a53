// Faults of agents and of their devices, as scenarios define them: each changes how the agent handles the same storm.
#include "lab/agent_faults.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/experiment_from_text.hpp"

namespace petrel::lab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using twin::kMs;
using watchdog::EventKind;
using watchdog::Reason;

// The NIC of h0 pauses its queue of s0 from 50 ms on, without end. The agent of s0 needs 200 ms of pause and looks
// every 100 ms.
constexpr std::string_view kEndlessStorm = R"(
name = "storm"
duration = "2s"

[topology]
kind = "single-switch"
hosts = 3
host_links = { speed = "1G" }

[[traffic]]
from = ["h1", "h2"]
to = "h0"
rate = "10M"

[[fault]]
at = "50ms"
kind = "storm"
host = "h0"
period = "10ms"

[[policy]]
preset = "sonic"
detect_ms = 200
poll_ms = 100
)";
constexpr Instant kFoundAt{
    std::chrono::milliseconds{250}};  // the twin is exact, and the agent requests a look for the end of T0

std::unique_ptr<Experiment> storm_with(std::string_view fault)
{
    const auto head = "[[fault]]\ndevice = \"s0\"\n";
    return test::experiment(fmt::format("{}{}{}", kEndlessStorm, fault.empty() ? "" : head, fault));
}

std::vector<std::string> kinds(const Experiment& run)
{
    std::vector<std::string> names;
    for (const auto& reported : run.events()) {
        names.emplace_back(name(reported.event->kind));
    }
    return names;
}

// The time at which the storm was detected, or kNever.
Instant found(const Experiment& run)
{
    for (const auto& reported : run.events()) {
        if (reported.event->kind == EventKind::storm_detected) {
            return reported.event->at;
        }
    }
    return kNever;
}

Instant found_with(std::string_view fault, twin::Ps within = 2'000 * kMs)
{
    const auto run = storm_with(fault);
    run->run_until(within);
    return found(*run);
}

constexpr Instant at_ms(int ms) { return Instant{std::chrono::milliseconds{ms}}; }

TEST(AgentFaults, WithoutFaultsTheStormIsFoundInTime)
{
    EXPECT_GE(found_with(""), kFoundAt);
    EXPECT_LE(found_with(""), kFoundAt + std::chrono::milliseconds{1});
}

TEST(AgentFaults, ADeadAgentFindsNothingUntilItIsStarted)
{
    const auto kill = "at = \"100ms\"\nkind = \"kill-agent\"\n";
    EXPECT_EQ(found_with(kill), kNever);
    const auto start = "[[fault]]\nat = \"600ms\"\nkind = \"start-agent\"\ndevice = \"s0\"\n";
    const auto again = found_with(std::string{kill} + start);
    EXPECT_GE(again, at_ms(800));
    EXPECT_LT(again, at_ms(900));
}

TEST(AgentFaults, LooksThatTakeLongFindItLater)
{
    EXPECT_GE(found_with("at = \"0s\"\nkind = \"delay-looks\"\ntakes = \"120ms\""),
              kFoundAt + std::chrono::milliseconds{50});
    EXPECT_LE(found_with("at = \"0s\"\nkind = \"delay-looks\"\ntakes = \"120ms\"\nuntil = \"20ms\""),
              kFoundAt + std::chrono::milliseconds{1});
}

TEST(AgentFaults, LooksThatFailProveNothing)
{
    const auto at = found_with("at = \"100ms\"\nkind = \"skip-looks\"\nuntil = \"600ms\"");
    EXPECT_GE(at, at_ms(600));
    EXPECT_LT(at, at_ms(900));
}

TEST(AgentFaults, CountersThatStandStillProveNoStorm)
{
    const auto at = found_with("at = \"100ms\"\nkind = \"freeze-counters\"\nuntil = \"600ms\"");
    EXPECT_GE(at, at_ms(600));
    EXPECT_LT(at, at_ms(900));
}

TEST(AgentFaults, AResetOfTheCountersRestartsTheDetectionTime)
{
    const auto at = found_with("at = \"180ms\"\nkind = \"reset-counters\"");
    EXPECT_GE(at, at_ms(180 + 200));
    EXPECT_LT(at, at_ms(500));
}

// Whether the queue of h0 is treated at this time, by the registers of the switch.
bool treated(Experiment& run, twin::Ps at)
{
    run.run_until(at);
    return run.twin().switch_view(run.scenario().watches.front().node).registers(0).discard_egress != 0;
}

TEST(AgentFaults, SlowCommandsMitigateLater)
{
    const auto run = storm_with("at = \"100ms\"\nkind = \"slow-writes\"\ntakes = \"30ms\"\nuntil = \"1s\"");
    EXPECT_FALSE(treated(*run, 279 * kMs));
    EXPECT_TRUE(treated(*run, 281 * kMs));
    EXPECT_THAT(kinds(*run), ElementsAre("storm_detected"));
}

TEST(AgentFaults, WritesThatTakeEffectLateAreRepeatedUntilTheyShow)
{
    const auto run = storm_with("at = \"100ms\"\nkind = \"delay-writes\"\ntakes = \"30ms\"\nuntil = \"1s\"");
    EXPECT_FALSE(treated(*run, 279 * kMs));
    EXPECT_TRUE(treated(*run, 281 * kMs));
    run->run_until(900 * kMs);
    EXPECT_THAT(kinds(*run), ElementsAre("storm_detected", "mitigation_failed"));
    EXPECT_EQ(run->mitigated({}), 1U);
}

TEST(AgentFaults, AHangingDeviceIsReportedAndItsStormIsFoundLater)
{
    using Condition = runner::DeviceRunner::Condition;
    const auto run = storm_with("at = \"190ms\"\nkind = \"hang-device\"\nuntil = \"600ms\"\n[limits]\nhang_ms = 100");
    const auto condition_at = [&](twin::Ps ms) {
        run->run_until(ms * kMs);
        return run->device_runner(run->scenario().watches.front().node)->condition();
    };
    EXPECT_EQ(condition_at(290), Condition::watching);
    EXPECT_EQ(condition_at(450), Condition::not_answering);
    EXPECT_EQ(condition_at(750), Condition::watching);
    EXPECT_GE(found(*run), at_ms(600));
}

// The switch finds the storm by itself after 100 ms of pause, and reports it. Its treatment takes 200 ms.
std::vector<std::string> story_of_own_storm(std::string_view fault)
{
    constexpr std::string_view kOwnStorm = R"(
name = "own storm"
duration = "2s"

[topology]
kind = "single-switch"
hosts = 2
host_links = { speed = "1G" }

[[switch]]
deadlock_detect = "100ms"
deadlock_recover = "200ms"

[[fault]]
at = "130ms"
kind = "storm"
host = "h0"
priorities = 3
period = "10ms"
until = "300ms"

[[policy]]
preset = "sai"
detect_ms = 100
restore_ms = 200
poll_ms = 10
detected_by = "device"
)";
    const auto run = test::experiment(
        fmt::format("{}{}{}", kOwnStorm, fault.empty() ? "" : "[[fault]]\nat = \"1ms\"\ndevice = \"s0\"\n", fault));
    run->run_until(2'000 * kMs);
    std::vector<std::string> lines;
    for (const auto& reported : run->events()) {
        lines.push_back(
            fmt::format("{} at {}", name(reported.event->kind), whole_ms(reported.event->at.time_since_epoch())));
    }
    return lines;
}

TEST(AgentFaults, NoticesThatArriveLateAreFollowedLate)
{
    EXPECT_THAT(story_of_own_storm(""), ElementsAre("storm_detected at 230", "storm_restored at 430"));
    EXPECT_THAT(story_of_own_storm("kind = \"delay-notices\"\ntakes = \"50ms\""),
                ElementsAre("storm_detected at 234", "storm_restored at 455"));
}

TEST(AgentFaults, NoticesThatArriveTwiceCountOnce)
{
    const auto once = story_of_own_storm("");
    EXPECT_EQ(story_of_own_storm("kind = \"delay-notices\"\ntakes = \"1ns\"\ntwice = true"), once);
    const auto late = story_of_own_storm("kind = \"delay-notices\"\ntakes = \"50ms\"\ntwice = true");
    EXPECT_EQ(late.size(), once.size()) << testing::PrintToString(late);
}

// The end of the storm is reported before its begin. The agent opens a storm that is over, and closes it after two T1
// of quiet.
TEST(AgentFaults, NoticesInAnotherOrderLeaveNoStormOpen)
{
    EXPECT_THAT(story_of_own_storm("kind = \"delay-notices\"\ntakes = \"500ms\"\nseed = 7"),
                ElementsAre("storm_detected at 573", "storm_restored at 970"));
}

struct Failure {
    std::string how;
    Reason reason;
};

class AgentFaultsOfWrites : public testing::TestWithParam<Failure> {};

TEST_P(AgentFaultsOfWrites, AreReportedByTheirVerdict)
{
    const auto run = storm_with(fmt::format("at = \"100ms\"\nkind = \"fail-writes\"\nhow = \"{}\"\n", GetParam().how));
    run->run_until(1'000 * kMs);
    const auto events = run->events();
    ASSERT_GE(events.size(), 2U);
    EXPECT_EQ(events[0].event->kind, EventKind::storm_detected);
    EXPECT_EQ(events[1].event->kind, EventKind::mitigation_failed);
    EXPECT_EQ(events[1].event->reason, GetParam().reason);
    EXPECT_EQ(run->mitigated({}), 1U);  // the retry succeeded
}

INSTANTIATE_TEST_SUITE_P(Lab, AgentFaultsOfWrites,
                         testing::Values(Failure{"refuse", Reason::refused}, Failure{"fail", Reason::failed},
                                         Failure{"time-out", Reason::timed_out}, Failure{"no-effect", Reason::differs}),
                         [](const auto& one) {
                             auto name = one.param.how;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(AgentFaults, WritesFailAsTheScenarioConfigures)
{
    const auto twice = storm_with("at = \"100ms\"\nkind = \"fail-writes\"\ncalls = 2\n");
    twice->run_until(2'000 * kMs);
    EXPECT_THAT(kinds(*twice), ElementsAre("storm_detected", "mitigation_failed", "mitigation_failed"));
    const auto long_enough = storm_with("at = \"100ms\"\nkind = \"fail-writes\"\nuntil = \"1800ms\"\n");
    long_enough->run_until(1'750 * kMs);
    EXPECT_GT(kinds(*long_enough).size(), 2U);
    EXPECT_EQ(long_enough->mitigated({}), 0U);
}

TEST(AgentFaults, AFalseReadBackIsReportedAsDiffers)
{
    const auto run = storm_with("at = \"100ms\"\nkind = \"lie\"\n");
    run->run_until(1'000 * kMs);
    const auto events = run->events();
    ASSERT_THAT(kinds(*run), ElementsAre("storm_detected", "mitigation_failed"));
    EXPECT_EQ(events[1].event->reason, Reason::differs);
}

TEST(AgentFaults, OrdersAreTaken)
{
    const auto one =
        storm_with("at = \"10ms\"\nkind = \"order\"\nwhat = \"mitigate\"\nport = \"s0:Ethernet2\"\npriority = 4\n");
    one->run_until(40 * kMs);
    ASSERT_THAT(kinds(*one), testing::Contains("order_taken"));
    EXPECT_EQ(one->events()[0].event->target, (Target{{DeviceId{3}, 2}, Priority{4}}));
    EXPECT_EQ(one->mitigated({}), 1U);

    const auto all = storm_with("at = \"10ms\"\nkind = \"order\"\nwhat = \"red-switch-on\"\n");
    all->run_until(40 * kMs);
    EXPECT_EQ(all->mitigated({}), 6U);  // three ports, two priorities

    const auto none = storm_with("at = \"100ms\"\nkind = \"order\"\nwhat = \"stop\"\n");
    none->run_until(1'000 * kMs);
    EXPECT_EQ(found(*none), kNever);
}

TEST(AgentFaults, APolicyChangedInTheMiddleOfAStormHoldsFromThenOn)
{
    const auto run = storm_with("at = \"100ms\"\nkind = \"set-policy\"\npreset = \"sonic\"\nname = "
                                "\"patient\"\ndetect_ms = 900\npoll_ms = 100\n");
    run->run_until(2'000 * kMs);
    EXPECT_GE(found(*run), at_ms(50 + 900));
    const auto events = run->events();
    const auto& reported = events.back();
    EXPECT_EQ(reported.watchlist->policies.at(reported.event->policy).name, "patient");
}

TEST(AgentFaults, EventsBeforeAChangeKeepTheirPolicy)
{
    const auto run = storm_with("at = \"400ms\"\nkind = \"set-policy\"\npreset = \"sonic\"\nname = "
                                "\"patient\"\ndetect_ms = 900\npoll_ms = 100\n");
    run->run_until(2'000 * kMs);
    const auto events = run->events();
    ASSERT_THAT(events, testing::Not(IsEmpty()));
    EXPECT_EQ(events[0].watchlist->policies.at(events[0].event->policy).name, "sonic");
}

TEST(AgentFaults, APolicyTheDeviceCannotMeetIsRefusedBeforeTheRun)
{
    auto scenario = codec::read_scenario(std::string{kEndlessStorm} +
                                             "[[fault]]\nat = \"1ms\"\nkind = \"set-policy\"\n"
                                             "device = \"s0\"\npreset = \"sai\"\ndetected_by = \"device\"\n",
                                         "test.toml");
    ASSERT_TRUE(scenario);
    const auto made = Experiment::make(std::move(*scenario));
    ASSERT_FALSE(made);
    EXPECT_THAT(to_text(made.error().front()), testing::HasSubstr("s0: policy"));
}

}  // namespace
}  // namespace petrel::lab
