// Restarts with a memory that is kept, torn or lost, and with a slow or full disk. Also external changes during a
// storm: a reload, and ports that are removed and added.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/experiment_from_text.hpp"

namespace petrel::lab {
namespace {

using testing::ElementsAre;
using twin::kMs;

// The NIC of h2 pauses its queue of s0 from 50 ms to 1 s. The agent of s0 needs 200 ms of pause, 400 ms of quiet, and
// looks every 100 ms: without faults it mitigates at 250 ms, and restores 400 to 500 ms after the last pause.
constexpr std::string_view kStormOfASecond = R"(
name = "storm"
duration = "4s"

[topology]
kind = "single-switch"
hosts = 3
host_links = { speed = "1G" }

[[traffic]]
from = ["h0", "h1"]
to = "h2"
rate = "10M"
stop = "3900ms"

[[fault]]
at = "50ms"
kind = "storm"
host = "h2"
priorities = 3
period = "10ms"
until = "1s"

[[policy]]
preset = "sonic"
detect_ms = 200
restore_ms = 400
poll_ms = 100
)";

std::string fault_of_s0(std::string_view keys) { return fmt::format("[[fault]]\ndevice = \"s0\"\n{}\n", keys); }

std::string restarted(std::string_view memory, std::string_view killed = "500ms", std::string_view started = "600ms")
{
    return fault_of_s0(fmt::format("at = \"{}\"\nkind = \"kill-agent\"", killed)) +
           fault_of_s0(fmt::format("at = \"{}\"\nkind = \"start-agent\"\n{}", started, memory));
}

std::unique_ptr<Experiment> run_with(std::string_view faults, twin::Ps until = 4'000 * kMs)
{
    auto run = test::experiment(fmt::format("{}{}", kStormOfASecond, faults));
    run->run_until(until);
    return run;
}

// Lines like "storm_detected Ethernet2:3 at 250".
std::vector<std::string> story(const Experiment& run)
{
    std::vector<std::string> lines;
    for (const auto& reported : run.events()) {
        lines.push_back(fmt::format("{} {} at {}", name(reported.event->kind),
                                    to_string(reported.watchlist->inventory, reported.event->target),
                                    whole_ms(reported.event->at.time_since_epoch())));
    }
    return lines;
}

std::size_t count(const Experiment& run, watchdog::EventKind kind)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(run.events(), [&](const AgentEvent& reported) { return reported.event->kind == kind; }));
}

constexpr auto kDetected = watchdog::EventKind::storm_detected;
constexpr auto kRestored = watchdog::EventKind::storm_restored;

TEST(AgentMemory, WithMemoryTheStormContinuesWithoutANewEvent)
{
    const auto undisturbed = run_with("");
    ASSERT_EQ(count(*undisturbed, kDetected), 1U);
    ASSERT_EQ(count(*undisturbed, kRestored), 1U);
    const auto run = run_with(restarted(""));
    EXPECT_EQ(count(*run, kDetected), 1U) << testing::PrintToString(story(*run));
    EXPECT_EQ(count(*run, kRestored), 1U) << testing::PrintToString(story(*run));
    EXPECT_EQ(run->events().front().event->at, undisturbed->events().front().event->at);
    EXPECT_GT(run->events().back().event->seq, run->events().front().event->seq) << "no number is used twice";
    EXPECT_EQ(run->mitigated({}), 0U);
}

TEST(AgentMemory, WithMemoryTreatmentsStayInForceAcrossTheRestart)
{
    for (const auto at : {499, 599, 601, 999}) {
        EXPECT_EQ(run_with(restarted(""), static_cast<twin::Ps>(at) * kMs)->mitigated({}), at == 599 ? 0U : 1U)
            << at << " ms";  // a dead agent has no view of its device
    }
}

// Only the record with the checkpoint of the detection matters. Without it the new agent finds the treatment in the
// journal alone and reports the storm once more. However many bytes are lost, the storm is closed exactly once.
TEST(AgentMemory, WithATornMemoryTheStormIsClosedOnce)
{
    for (const auto bytes : {1, 2, 5, 9, 50, 200, 400, 600, 800, 1'000, 2'000, 1'000'000}) {
        const auto run = run_with(restarted(fmt::format("memory = \"torn\"\ntorn_bytes = {}", bytes)));
        EXPECT_LE(count(*run, kDetected), 2U) << bytes << ": " << testing::PrintToString(story(*run));
        EXPECT_EQ(count(*run, kRestored), 1U) << bytes << ": " << testing::PrintToString(story(*run));
        EXPECT_EQ(run->mitigated({}), 0U) << bytes;
    }
    const auto half = run_with(restarted("memory = \"torn\""));
    EXPECT_EQ(count(*half, kRestored), 1U) << testing::PrintToString(story(*half));
}

// The last record of the journal is that of the mitigation. Without it and without the checkpoint of the storm, the new
// agent has no reason for the treatment.
TEST(AgentMemory, WithATornJournalTheTreatmentIsUndoneAndTheStormIsClosedOnce)
{
    constexpr std::string_view kTorn = "memory = \"torn\"\ntorn_bytes = 1000000";
    EXPECT_EQ(run_with(restarted(kTorn), 610 * kMs)->mitigated({}), 1U) << "an unfinished record loses nothing";
    for (const auto bytes : {1, 8, 40, 1'000'000}) {
        const auto torn = restarted(fmt::format("{}\ntorn_journal = {}", kTorn, bytes));
        EXPECT_EQ(run_with(torn, 610 * kMs)->mitigated({}), 0U) << bytes;
        const auto run = run_with(torn);
        EXPECT_EQ(count(*run, kRestored), 1U) << bytes << ": " << testing::PrintToString(story(*run));
        EXPECT_EQ(run->mitigated({}), 0U) << bytes;
    }
}

// Without state file and journal the new agent has no reason for the treatment.
TEST(AgentMemory, WithoutMemoryTheTreatmentIsRestoredAndTheStormDetectedAgain)
{
    const auto run = run_with(restarted("memory = \"lost\""));
    EXPECT_EQ(count(*run, kDetected), 2U) << testing::PrintToString(story(*run));
    EXPECT_EQ(run->mitigated({}), 0U);
    const auto soon = run_with(restarted("memory = \"lost\""), 610 * kMs);
    EXPECT_EQ(soon->mitigated({}), 0U) << testing::PrintToString(story(*soon));
}

TEST(AgentMemory, AFullDiskDelaysCommandsUntilThereIsSpace)
{
    const auto full = fault_of_s0("at = \"100ms\"\nkind = \"full-disk\"\nuntil = \"700ms\"");
    const auto during = run_with(full, 690 * kMs);
    EXPECT_EQ(during->mitigated({}), 0U) << "nothing is applied that the journal does not have";
    EXPECT_EQ(count(*during, kDetected), 1U) << "a storm is announced all the same";
    EXPECT_GE(count(*during, watchdog::EventKind::mitigation_failed), 1U);
    const auto run = run_with(full);
    EXPECT_EQ(count(*run, kDetected), 1U);
    EXPECT_EQ(count(*run, kRestored), 1U) << testing::PrintToString(story(*run));
}

// A successful mitigation emits no event, so the storm is not in the memory before the next save. After a restart the
// agent may report it once more.
TEST(AgentMemory, AfterAFullDiskAndARestartTheStormIsClosedOnce)
{
    const auto run = run_with(fault_of_s0("at = \"100ms\"\nkind = \"full-disk\"\nuntil = \"400ms\"") +
                              restarted("", "900ms", "950ms"));
    EXPECT_LE(count(*run, kDetected), 2U) << testing::PrintToString(story(*run));
    EXPECT_EQ(count(*run, kRestored), 1U) << testing::PrintToString(story(*run));
}

// The agent stores the event before it sends the command, and journals before it writes to the device: 30 ms each.
TEST(AgentMemory, ASlowDiskDelaysTheMitigationByTwoWrites)
{
    const auto slow = fault_of_s0("at = \"100ms\"\nkind = \"slow-disk\"\ntakes = \"30ms\"");
    const auto found = run_with(slow, 400 * kMs);
    ASSERT_EQ(count(*found, kDetected), 1U);
    const auto at = twin::from_instant(found->events().front().event->at);
    EXPECT_EQ(run_with(slow, at + 59 * kMs)->mitigated({}), 0U);
    EXPECT_EQ(run_with(slow, at + 61 * kMs)->mitigated({}), 1U);
}

TEST(AgentReload, TheSameConfigurationAgainChangesNothing)
{
    const auto calm = run_with("");
    const auto run =
        run_with(fault_of_s0("at = \"150ms\"\nkind = \"reload\"") + fault_of_s0("at = \"510ms\"\nkind = \"reload\""));
    EXPECT_EQ(story(*run), story(*calm));
    EXPECT_EQ(run->summary().totals.digest, calm->summary().totals.digest);
}

// Queues get other row numbers during the storm: events, commands and journal follow them.
TEST(AgentInventory, APortThatGoesRenumbersTheStormAndNothingElse)
{
    const auto calm = run_with("");
    const auto run =
        run_with(fault_of_s0("at = \"510ms\"\nkind = \"remove-port\"\nport = \"s0:Ethernet0\"\nuntil = \"1650ms\""));
    ASSERT_EQ(count(*run, kDetected), 1U) << testing::PrintToString(story(*run));
    ASSERT_EQ(count(*run, kRestored), 1U) << testing::PrintToString(story(*run));
    EXPECT_EQ(story(*run).front(), story(*calm).front());
    EXPECT_THAT(story(*run).back(), testing::StartsWith("storm_restored Ethernet2:3"));
    EXPECT_EQ(run->events().back().event->target.port.index, 1U) << "Ethernet2 is the second port of two";
    EXPECT_EQ(run->events().back().port, 2U) << "and the third of the topology";
    EXPECT_EQ(run->mitigated({}), 0U);
}

// The port in the storm is removed with its mitigation and comes back: the journal still has the treatment.
TEST(AgentInventory, AStormedPortThatComesBackIsRestored)
{
    const auto run =
        run_with(fault_of_s0("at = \"510ms\"\nkind = \"remove-port\"\nport = \"s0:Ethernet2\"\nuntil = \"1500ms\""));
    EXPECT_EQ(run->mitigated({}), 0U) << testing::PrintToString(story(*run));
    const auto before = run->twin().flow(0).delivered;
    const auto longer = test::experiment(fmt::format("{}{}", kStormOfASecond,
                                                     fault_of_s0("at = \"510ms\"\nkind = \"remove-port\"\nport = "
                                                                 "\"s0:Ethernet2\"\nuntil = \"1500ms\"")));
    longer->run_until(3'000 * kMs);
    EXPECT_GT(before, longer->twin().flow(0).delivered) << "the queue sends again";
}

// A new policy requests a look at once while a slow look is under way. The stop closes the device before the second
// look.
TEST(AgentStop, AClosedDeviceIsNotLookedAtAgain)
{
    const auto run =
        run_with(fault_of_s0("at = \"1500ms\"\nkind = \"delay-looks\"\ntakes = \"50ms\"") +
                 fault_of_s0("at = \"2010ms\"\nkind = \"set-policy\"\npreset = \"sonic\"\ndetect_ms = 300") +
                 fault_of_s0("at = \"2020ms\"\nkind = \"order\"\nwhat = \"stop\""));
    EXPECT_EQ(run->mitigated({}), 0U);
}

TEST(AgentStop, ATornMemoryOfAStoppedAgentHoldsNothing)
{
    const auto run = run_with(fault_of_s0("at = \"500ms\"\nkind = \"order\"\nwhat = \"stop\"") +
                              restarted("memory = \"torn\"", "1500ms", "1600ms"));
    EXPECT_EQ(run->mitigated({}), 0U) << testing::PrintToString(story(*run));
    EXPECT_EQ(count(*run, kDetected), 1U);
}

}  // namespace
}  // namespace petrel::lab
