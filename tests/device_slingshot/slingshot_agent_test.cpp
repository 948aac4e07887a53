// An agent on a Slingshot switch: from the status to the treatment and back, with writes that fail, and with a process
// that dies after the first of two writes. The switch and the journal outlive the process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "device/slingshot/slingshot_device.hpp"
#include "device_slingshot/fake_registers.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using device::slingshot::SlingshotDevice;
using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::EventKind;
using watchdog::Reason;
using watchdog::Treatment;
using Fault = FakeSwitch::Fault;

constexpr DeviceId kWatchedId{0};
constexpr Target kWatchedPort{{kWatchedId, 1}, std::nullopt};

// One process of an agent. It finds the journal of the process before, and no checkpoint.
class Process {
public:
    Process(FakeSwitch& fake, lab::SimulatedDisk& disk, device::ManualClock& clock)
        : device_(kWatchedId, std::make_unique<FakeRegisters>(fake), clock),
          runner_(clock, device_, without_state(disk), book_of(watchdog::find_preset("pause-too-long")->policy))
    {}
    void run_until(Instant end) { runner_.run_until(end); }
    void order(const watchdog::Order& order) { runner_.order(order); }

    std::uint64_t looks() const { return runner_.agent().counters().looks; }
    const std::vector<watchdog::Event>& events() const { return runner_.events; }

    std::vector<std::string> event_texts() const
    {
        std::vector<std::string> words;
        for (const auto& event : events()) {
            words.push_back(std::string{name(event.kind)} + ": " + std::string{name(event.reason)});
        }
        return words;
    }

private:
    static lab::SimulatedDisk& without_state(lab::SimulatedDisk& disk)
    {
        disk.state.clear();
        return disk;
    }

    SlingshotDevice device_;
    SimulatedRunner runner_;
};

struct Outside {
    Process process() { return {fake, disk, clock}; }
    FakeSwitch::PortState& port() { return fake.state[1]; }
    bool treated() const { return fake.state[1].max_frame_size == 63 && fake.state[1].pcp_enable == 0; }
    bool untouched() const { return fake.state[1].max_frame_size == kUsualFrame && fake.state[1].pcp_enable == 1; }
    std::size_t journaled() const { return disk.journaled().size(); }
    // Runs until the first write, after which the process dies.
    void die_after(Register which, Process& process, Instant end)
    {
        fake.faults[which] = {Fault::die_after, 1};
        EXPECT_THROW(process.run_until(end), ProcessDied);
    }

    FakeSwitch fake;
    lab::SimulatedDisk disk;
    device::ManualClock clock;
};

constexpr Instant at(std::chrono::milliseconds when) { return Instant{when}; }

TEST(SlingshotAgent, TreatsAPortAsLongAsItsStatusIsSet)
{
    Outside outside;
    auto process = outside.process();
    process.run_until(at(100ms));
    EXPECT_THAT(outside.fake.writes, IsEmpty());

    outside.port().pause_timeout = 0x8;
    process.run_until(at(110ms));
    EXPECT_THAT(outside.fake.writes, ElementsAre("R_PF_EEG_SIZE_CFG = 63", "PCP_ENABLE = 0"));
    EXPECT_THAT(process.event_texts(), ElementsAre("pause_too_long: proven"));
    EXPECT_EQ(process.events()[0].target, kWatchedPort);
    EXPECT_EQ(outside.journaled(), 1U);

    process.run_until(at(10s));  // no timer ends the treatment, and polls suffice to see the storm end
    EXPECT_TRUE(outside.treated());
    EXPECT_EQ(outside.fake.writes.size(), 2U);
    EXPECT_LE(process.looks(), 1'010U);

    outside.port().pause_timeout = 0;
    process.run_until(at(10s + 20ms));
    EXPECT_TRUE(outside.untouched());
    EXPECT_THAT(process.event_texts(), ElementsAre("pause_too_long: proven", "pause_too_long_cleared: quiet"));
    EXPECT_EQ(outside.journaled(), 0U);
    EXPECT_EQ(outside.fake.state[0], FakeSwitch::PortState{});
}

TEST(SlingshotAgent, ALinkThatGoesDownEndsTheStorm)
{
    Outside outside;
    auto process = outside.process();
    outside.port().pause_timeout = 0x8;
    process.run_until(at(50ms));
    ASSERT_TRUE(outside.treated());
    outside.port().epoch = 0;
    outside.port().pause_timeout = 0;
    process.run_until(at(70ms));
    EXPECT_THAT(process.event_texts(), ElementsAre("pause_too_long: proven", "pause_too_long_cleared: link_down"));
    EXPECT_TRUE(outside.untouched());
}

TEST(SlingshotAgent, AFailedWriteIsReportedAndRepeated)
{
    for (const auto which : {Register::max_frame_size, Register::pcp_enable}) {
        Outside outside;
        auto process = outside.process();
        outside.port().pause_timeout = 0x8;
        outside.fake.faults[which] = {Fault::fail, 2};
        process.run_until(at(200ms));
        EXPECT_THAT(process.event_texts(),
                    ElementsAre("pause_too_long: proven", "mitigation_failed: failed", "mitigation_failed: failed"))
            << name(which);
        EXPECT_TRUE(outside.treated());
        outside.port().pause_timeout = 0;
        process.run_until(at(300ms));
        EXPECT_TRUE(outside.untouched());
        EXPECT_EQ(outside.journaled(), 0U);
    }
}

TEST(SlingshotAgent, AWriteWithoutEffectIsDetectedAndRepeated)
{
    for (const auto which : {Register::max_frame_size, Register::pcp_enable}) {
        Outside outside;
        auto process = outside.process();
        outside.port().pause_timeout = 0x8;
        outside.fake.faults[which] = {Fault::no_effect, 1};
        process.run_until(at(100ms));
        EXPECT_THAT(process.event_texts(), ElementsAre("pause_too_long: proven", "mitigation_failed: differs"))
            << name(which);
        EXPECT_TRUE(outside.treated());

        outside.port().pause_timeout = 0;
        outside.fake.faults[which] = {Fault::no_effect, 1};
        process.run_until(at(200ms));
        EXPECT_THAT(process.event_texts(), ElementsAre("pause_too_long: proven", "mitigation_failed: differs",
                                                       "restore_failed: differs", "pause_too_long_cleared: quiet"))
            << name(which);
        EXPECT_TRUE(outside.untouched());
        EXPECT_EQ(outside.journaled(), 0U);
    }
}

TEST(SlingshotAgent, ARefusedFirstWriteLeavesNothingInForce)
{
    Outside outside;
    auto process = outside.process();
    outside.port().pause_timeout = 0x8;
    outside.fake.faults[Register::max_frame_size] = {Fault::deny, 1};
    process.run_until(at(1s));
    EXPECT_EQ(process.event_texts().front(), "pause_too_long: proven");
    EXPECT_EQ(process.event_texts().at(1), "mitigation_failed: refused");
    EXPECT_EQ(process.event_texts().back(), "storm_escalated: refused");
    EXPECT_TRUE(outside.untouched());
    EXPECT_EQ(outside.journaled(), 0U);
}

TEST(SlingshotAgent, ARefusedSecondWriteKeepsTheFirstUntilQuiet)
{
    Outside outside;
    auto process = outside.process();
    outside.port().pause_timeout = 0x8;
    outside.fake.faults[Register::pcp_enable] = {Fault::deny, 1};
    process.run_until(at(1s));
    // The next weaker treatments are drop, which the device does not support, and drop_egress, which is in effect
    // already.
    EXPECT_THAT(process.event_texts(),
                ElementsAre("pause_too_long: proven", "mitigation_failed: refused", "mitigation_failed: refused"));
    EXPECT_EQ(outside.port().max_frame_size, 63U);
    outside.port().pause_timeout = 0;
    process.run_until(at(2s));
    EXPECT_TRUE(outside.untouched());
    EXPECT_EQ(outside.journaled(), 0U);
}

TEST(SlingshotAgent, TheNextProcessCompletesAHalfAppliedTreatment)
{
    Outside outside;
    outside.port().pause_timeout = 0x8;
    {
        auto first = outside.process();
        outside.die_after(Register::max_frame_size, first, at(50ms));
    }
    EXPECT_EQ(outside.port().max_frame_size, 63U);
    EXPECT_EQ(outside.port().pcp_enable, 1U);  // the node still holds up the fabric
    outside.fake.writes.clear();

    auto second = outside.process();
    second.run_until(at(50ms));
    EXPECT_THAT(outside.fake.writes, ElementsAre("R_PF_EEG_SIZE_CFG = 63", "PCP_ENABLE = 0"));
    EXPECT_TRUE(outside.treated());
    EXPECT_THAT(second.event_texts(), ElementsAre("pause_too_long: reconciled"));
    EXPECT_EQ(second.events()[0].action, Treatment::squeeze);
    second.run_until(at(10s));
    EXPECT_TRUE(outside.treated());

    outside.port().pause_timeout = 0;
    second.run_until(at(10s + 50ms));
    EXPECT_TRUE(outside.untouched());
    EXPECT_THAT(second.event_texts(), ElementsAre("pause_too_long: reconciled", "pause_too_long_cleared: quiet"));
    EXPECT_EQ(outside.journaled(), 0U);
}

TEST(SlingshotAgent, TheNextProcessUndoesAHalfAppliedTreatmentIfThePauseIsOver)
{
    Outside outside;
    outside.port().pause_timeout = 0x8;
    {
        auto first = outside.process();
        outside.die_after(Register::max_frame_size, first, at(50ms));
    }
    outside.port().pause_timeout = 0;
    auto second = outside.process();
    second.run_until(at(100ms));
    EXPECT_TRUE(outside.untouched());
    EXPECT_EQ(outside.journaled(), 0U);
}

TEST(SlingshotAgent, TheNextProcessCompletesAHalfDoneRestore)
{
    Outside outside;
    outside.port().max_frame_size = 1'500;  // not the default value: only the journal holds it
    outside.port().pause_timeout = 0x8;
    {
        auto first = outside.process();
        first.run_until(at(50ms));
        ASSERT_TRUE(outside.treated());
        outside.port().pause_timeout = 0;
        outside.die_after(Register::max_frame_size, first, at(100ms));
    }
    EXPECT_EQ(outside.port().pcp_enable, 0U);
    auto second = outside.process();
    second.run_until(at(200ms));
    EXPECT_EQ(outside.port().max_frame_size, 1'500U);
    EXPECT_EQ(outside.port().pcp_enable, 1U);
    EXPECT_EQ(outside.journaled(), 0U);
}

TEST(SlingshotAgent, HalfATreatmentWithoutAJournalEntryIsUndone)
{
    Outside outside;
    outside.port().max_frame_size = 63;
    auto process = outside.process();
    process.run_until(at(50ms));
    EXPECT_TRUE(outside.untouched());
    EXPECT_THAT(process.event_texts(), IsEmpty());
}

TEST(SlingshotAgent, AnOrderReleasesThePortAndAStopRestoresIt)
{
    Outside outside;
    auto process = outside.process();
    outside.port().pause_timeout = 0x8;
    process.run_until(at(50ms));
    ASSERT_TRUE(outside.treated());
    process.order({watchdog::Order::Kind::stop, std::nullopt, "test"});
    process.run_until(at(100ms));
    EXPECT_TRUE(outside.untouched());
    EXPECT_EQ(outside.journaled(), 0U);
}

}  // namespace
}  // namespace petrel::test
