// An agent on faulty devices, in simulated time. The log and the metrics report each fault. The agent does not assume
// that a treatment is in force before the device shows it. Other devices are not affected, and after the fault the
// agent continues.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "storming_port.hpp"
#include "support/agent_process.hpp"
#include "support/shared_switch.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using test::SharedSwitch;
using testing::HasSubstr;
using testing::Not;
using watchdog::Treatment;
using Fault = SharedSwitch::Fault;

class FaultyDevice : public testing::Test {
protected:
    std::string config() const
    {
        const auto device = [&](std::string_view name) {
            return fmt::format("[[device]]\nname = \"{}\"\ndriver = \"shared:{}\"\n", name, (folder / name).string());
        };
        return device("sick") + device("well") +
               "[[policy]]\npreset = \"sonic\"\ndetect_ms = 100\nrestore_ms = 300\npoll_ms = 100\n";
    }

    void live(bool wait_for_first_look = true, const std::string& hang_ms = "200")
    {
        agent.reset();
        agent = std::make_unique<test::SimulatedAgent>(
            time, test::SimulatedAgent::Options{
                      .folder = folder.path(), .config = config(), .arguments = {"--hang-ms", hang_ms}});
        if (wait_for_first_look) {
            ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
        }
    }

    void expect_logged(const std::vector<std::string>& words)
    {
        EXPECT_NE(agent->wait_for(words), "") << agent->log_text();
    }

    // Does not wait: the caller first waits for a log line after which the condition holds.
    void expect_condition(std::string_view condition)
    {
        EXPECT_THAT(agent->metrics(),
                    HasSubstr(fmt::format("petrel_device_condition{{device=\"sick\",condition=\"{}\"}} 1", condition)));
    }

    static void expect_treated(const SharedSwitch& sw, Treatment treatment)
    {
        EXPECT_TRUE(sw.wait_until([&] { return sw.in_force(kPort) == treatment; }));
    }

    void expect_well_is_watched()
    {
        well.storm(kPort);
        expect_treated(well, Treatment::drop);
        well.calm(kPort);
        expect_treated(well, Treatment::none);
    }

    void expect_sick_is_watched_again()
    {
        sick.storm(kPort);
        expect_treated(sick, Treatment::drop);
        sick.calm(kPort);
        expect_treated(sick, Treatment::none);
        EXPECT_EQ(agent->stop(), 0) << agent->log_text();
        EXPECT_EQ(sick.configuration(kPort), SharedSwitch::kConfigured + kPort);
    }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
    SharedSwitch sick{folder / "sick", &time};
    SharedSwitch well{folder / "well", &time};
    std::unique_ptr<test::SimulatedAgent> agent;
};

TEST_F(FaultyDevice, AHangIsReportedAndDoesNotStopTheOthers)
{
    live();
    sick.set(Fault::looks_hang, true);
    expect_logged({"device_not_answering", "sick"});
    expect_condition("not_answering");
    expect_well_is_watched();
    sick.set(Fault::looks_hang, false);
    expect_logged({"device_answers", "sick"});
    expect_condition("watching");
    EXPECT_THAT(agent->metrics(), Not(HasSubstr("petrel_looks_overdue_total{device=\"sick\"} 0")));
    expect_sick_is_watched_again();
}

// Looks take longer than a poll and less than the hang limit: they are late, and the agent uses them.
TEST_F(FaultyDevice, LateLooksOfASlowDeviceAreUsed)
{
    live(true, "600000");
    sick.set(Fault::looks_hang, true);
    sick.storm(kPort);
    const std::string none_late = "petrel_looks_overdue_total{device=\"sick\"} 0\n";
    EXPECT_TRUE(sick.wait_until([&] {
        expect_condition("watching");
        return agent->metrics().find(none_late) == std::string::npos;
    }));
    expect_well_is_watched();
    sick.set(Fault::looks_hang, false);
    expect_treated(sick, Treatment::drop);
    EXPECT_THAT(agent->metrics(), Not(HasSubstr("petrel_polls_missed_total{device=\"sick\"} 0\n")));
    EXPECT_THAT(agent->log_text(), Not(HasSubstr("device_not_answering")));
    sick.calm(kPort);
    expect_treated(sick, Treatment::none);
    expect_sick_is_watched_again();
}

// A real process: its device thread is in the call when it ends.
TEST_F(FaultyDevice, TheAgentStopsThoughADeviceHangsForEver)
{
    AgentProcess process{{.folder = folder.path(),
                          .config = config(),
                          .program = PETREL_BIN_DIR "/petrel-test-agent",
                          .arguments = {"--hang-ms", "200"}}};
    ASSERT_NE(process.wait_for("agent_ready"), "") << process.log_text();
    sick.set(Fault::looks_hang, true);
    EXPECT_NE(process.wait_for(std::vector<std::string>{"device_not_answering", "sick"}), "") << process.log_text();
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 0) << "no treatment is in force on the device: " << process.log_text();
    sick.set(Fault::looks_hang, false);
}

TEST_F(FaultyDevice, TheNextStartRestoresADeviceThatHung)
{
    live();
    sick.storm(kPort);
    expect_treated(sick, Treatment::drop);
    expect_logged({"storm_detected", "sick"});
    sick.set(Fault::writes_hang, true);
    agent->signal(SIGTERM);
    EXPECT_NE(agent->wait(), 0);
    EXPECT_THAT(agent->log_text(), HasSubstr("stop_incomplete"));
    EXPECT_EQ(sick.in_force(kPort), Treatment::drop);
    sick.set(Fault::writes_hang, false);
    sick.calm(kPort);
    live();
    expect_treated(sick, Treatment::none);
    EXPECT_EQ(agent->stop(), 0);
    EXPECT_EQ(sick.configuration(kPort), SharedSwitch::kConfigured + kPort);
}

TEST_F(FaultyDevice, IsFailingWhileLooksFail)
{
    live();
    sick.set(Fault::looks_fail, true);
    expect_logged({"device_failing", "sick"});
    expect_condition("failing");
    expect_well_is_watched();
    sick.set(Fault::looks_fail, false);
    expect_logged({"device_answers", "sick"});
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, IsOpenedLaterIfAbsentAtTheStart)
{
    sick.set(Fault::gone, true);
    live(false);
    expect_logged({"device_failing", "sick"});
    expect_condition("failing");
    expect_well_is_watched();
    sick.set(Fault::gone, false);
    expect_logged({"device_opened", "sick"});
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, KeepsItsStormWhenItVanishesAndReturns)
{
    live();
    sick.storm(kPort);
    expect_treated(sick, Treatment::drop);
    sick.set(Fault::gone, true);
    expect_logged({"device_failing", "sick"});
    sick.set(Fault::gone, false);
    expect_logged({"device_answers", "sick"});
    sick.calm(kPort);
    expect_treated(sick, Treatment::none);
    expect_logged({"storm_restored", "sick", "Ethernet1:3"});
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, KeepsStormsByNameWhenTheInventoryChanges)
{
    live();
    sick.storm(kPort);
    expect_treated(sick, Treatment::drop);
    expect_logged({"storm_detected", "sick", "Ethernet1:3"});
    sick.have_ports({3, 2, 1});
    expect_logged({"inventory_changed", "sick"});
    EXPECT_THAT(agent->metrics(), HasSubstr("petrel_device_ports{device=\"sick\"} 3"));
    EXPECT_EQ(sick.in_force(kPort), Treatment::drop) << "the same queue, with another number";
    sick.calm(kPort);
    expect_treated(sick, Treatment::none);
    expect_logged({"storm_restored", "sick", "Ethernet1:3"});
    EXPECT_EQ(sick.configuration(kPort), SharedSwitch::kConfigured + kPort);
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, RestoresThePortThatReturns)
{
    live();
    sick.storm(kPort);
    expect_treated(sick, Treatment::drop);
    expect_logged({"storm_detected", "sick", "Ethernet1:3"});
    sick.have_ports({0, 2, 3});
    expect_logged({"inventory_changed", "sick", "3 ports"});
    sick.calm(kPort);
    sick.have_ports({0, 1, 2, 3});
    expect_logged({"inventory_changed", "sick", "4 ports"});
    expect_treated(sick, Treatment::none);
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, TheStopNamesAnAbsentDeviceWithMitigations)
{
    live();
    sick.storm(kPort);
    expect_treated(sick, Treatment::drop);
    expect_logged({"storm_detected", "sick"});
    agent->kill();
    sick.set(Fault::gone, true);
    live(false);
    expect_logged({"device_failing", "sick"});
    EXPECT_NE(agent->control({"release-all"}).exit_code, 0) << "not everything was released";
    agent->signal(SIGTERM);
    EXPECT_NE(agent->wait(), 0);
    EXPECT_THAT(agent->log_text(), HasSubstr("stop_incomplete"));
    sick.set(Fault::gone, false);
    sick.calm(kPort);
    live();
    expect_treated(sick, Treatment::none);
    EXPECT_EQ(agent->stop(), 0);
}

TEST_F(FaultyDevice, FailedWritesAreReportedUntilTheySucceed)
{
    live();
    sick.set(Fault::writes_fail, true);
    sick.storm(kPort);
    expect_logged({"mitigation_failed", "sick", "Ethernet1:3"});
    EXPECT_THAT(agent->metrics(), Not(HasSubstr("petrel_commands_failed_total{device=\"sick\"} 0")));
    sick.set(Fault::writes_fail, false);
    expect_treated(sick, Treatment::drop);
    sick.calm(kPort);
    expect_treated(sick, Treatment::none);
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, RefusalOfEverythingIsEscalated)
{
    live();
    sick.set(Fault::writes_refused, true);
    sick.storm(kPort);
    expect_logged({"storm_escalated", "sick", "Ethernet1:3"});
    EXPECT_EQ(sick.in_force(kPort), Treatment::none);
    sick.set(Fault::writes_refused, false);
    sick.calm(kPort);
    expect_logged({"storm_re", "sick", "Ethernet1:3"});  // storm_restored or storm_released: both close the storm
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, ADifferentReadBackIsReported)
{
    live();
    sick.set(Fault::read_back_lies, true);
    sick.storm(kPort);
    expect_logged({"mitigation_failed", "sick", "Ethernet1:3"});
    sick.set(Fault::read_back_lies, false);
    expect_treated(sick, Treatment::drop);
    sick.calm(kPort);
    expect_treated(sick, Treatment::none);
    expect_sick_is_watched_again();
}

TEST_F(FaultyDevice, HangingWritesAreReportedAndUsedWhenTheyReturn)
{
    live();
    sick.set(Fault::writes_hang, true);
    sick.storm(kPort);
    expect_logged({"device_not_answering", "sick"});
    expect_well_is_watched();
    sick.set(Fault::writes_hang, false);
    expect_treated(sick, Treatment::drop);
    sick.calm(kPort);
    expect_treated(sick, Treatment::none);
    expect_sick_is_watched_again();
}

}  // namespace
}  // namespace petrel::daemon
