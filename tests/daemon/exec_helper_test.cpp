// The agent with a device behind a helper program: a storm of the example helper is detected, mitigated and restored,
// and a helper that misbehaves is reported, killed and started again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "support/agent_process.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using testing::HasSubstr;

constexpr auto kHelpers = PETREL_TEST_DATA "/../examples/helpers";
constexpr auto kExecPolicy = "[[policy]]\npreset = \"sonic\"\ndetect_ms = 200\nrestore_ms = 300\npoll_ms = 100\n";

std::string exec_entry(const std::string& driver)
{
    return fmt::format("[[device]]\nname = \"sim\"\ndriver = \"exec:{}\"\n", driver);
}

// In real time: several storms, so that a slow machine may miss the first.
class ExampleSwitch : public testing::Test {
protected:
    void live(const std::string& policy)
    {
        const auto program = fmt::format("{}/simulated_switch.py", kHelpers);
        std::string storms;
        for (int at = 1; at < 40; at += 4) {
            storms += fmt::format(" --storm Ethernet4:3@{}+2", at);
        }
        agent_ = std::make_unique<test::AgentProcess>(
            test::AgentProcess::Options{.folder = folder_.path(), .config = exec_entry(program + storms) + policy});
    }
    void expect_logged(const std::vector<std::string>& words)
    {
        ASSERT_NE(agent_->wait_for(words), "") << agent_->log_text();
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<test::AgentProcess> agent_;
};

TEST_F(ExampleSwitch, AStormIsDetectedMitigatedAndRestored)
{
    live(kExecPolicy);
    expect_logged({"storm_detected", "Ethernet4:3", "drop"});
    expect_logged({"storm_restored", "Ethernet4:3"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

TEST_F(ExampleSwitch, AStormThatTheHelperFindsArrivesAsANotice)
{
    live("[[policy]]\npreset = \"sai\"\ndetected_by = \"device\"\ndetect_ms = 200\nrestore_ms = 300\naction = "
         "\"drop\"\n");
    expect_logged({"storm_detected", "Ethernet4:3", "device"});
    expect_logged({"storm_restored", "Ethernet4:3"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// The agent does not wait for a helper that stays, and leaves none behind.
class StayingHelper : public testing::Test {
protected:
    // Returns the exit code of the agent after a stop.
    int stop_with(int hang_ms)
    {
        const auto driver = fmt::format(PETREL_TEST_DATA "/device_exec/broken_helper.py {} ignores_the_end", kHelpers);
        agent_ = std::make_unique<test::AgentProcess>(
            test::AgentProcess::Options{.folder = folder_.path(),
                                        .config = exec_entry(driver) + kExecPolicy,
                                        .arguments = {"--hang-ms", std::to_string(hang_ms)}});
        EXPECT_NE(agent_->wait_for("device_watched"), "") << agent_->log_text();
        const auto helper = child_of(agent_->pid());
        EXPECT_TRUE(runs(helper));
        const auto code = agent_->stop();
        while (runs(helper)) {  // a killed process needs a moment to end
        }
        return code;
    }

    static std::string child_of(pid_t agent)
    {
        std::string pid;
        for (const auto& thread : std::filesystem::directory_iterator{fmt::format("/proc/{}/task", agent)}) {
            std::ifstream{thread.path() / "children"} >> pid;
        }
        return pid;
    }
    // Not if it is killed and still waits for its new parent.
    static bool runs(const std::string& pid)
    {
        std::ifstream stat{"/proc/" + pid + "/stat"};
        std::string number;
        std::string name;
        std::string state;
        return !pid.empty() && stat >> number >> name >> state && state != "Z" && state != "X";
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<test::AgentProcess> agent_;
};

TEST_F(StayingHelper, IsKilledAndReported)
{
    EXPECT_NE(stop_with(2000), 0);
    EXPECT_THAT(agent_->log_text(), HasSubstr("device_not_put_back"));
    EXPECT_THAT(agent_->log_text(), HasSubstr("has not ended within 1000 ms after close"));
}

TEST_F(StayingHelper, IsKilledIfTheAgentDoesNotWaitForItsEnd) { stop_with(50); }

// In simulated time; the helper is a real process.
class BrokenHelper : public testing::Test {
protected:
    // With `once`, the second helper is healthy.
    void live(const std::string& defect, bool once)
    {
        const auto mark = once ? (folder_ / "mark").string() : "";
        agent_ = std::make_unique<test::SimulatedAgent>(
            time_, test::SimulatedAgent::Options{
                       .folder = folder_.path(),
                       .config = exec_entry(fmt::format(PETREL_TEST_DATA "/device_exec/broken_helper.py {} {} {}",
                                                        kHelpers, defect, mark)) +
                                 kExecPolicy});
    }
    void expect_logged(const std::vector<std::string>& words)
    {
        EXPECT_NE(agent_->wait_for(words), "") << agent_->log_text();
    }
    void expect_failing()
    {
        EXPECT_THAT(agent_->metrics(), HasSubstr("petrel_device_condition{device=\"sim\",condition=\"failing\"} 1"));
    }

    test::SimulatedTime time_;
    test::TemporaryFolder folder_;
    std::unique_ptr<test::SimulatedAgent> agent_;
};

struct Misbehaviour {
    const char* defect;
    const char* reported;
};

class EndedHelper : public BrokenHelper, public testing::WithParamInterface<Misbehaviour> {};

TEST_P(EndedHelper, IsReportedAndStartedAgain)
{
    live(GetParam().defect, true);
    expect_logged({"device_watched"});
    expect_logged({"device_failing", GetParam().reported, "tried again in 1.000 s"});
    expect_failing();
    expect_logged({"device_opened"});
    expect_logged({"device_watched"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

INSTANTIATE_TEST_SUITE_P(
    Each, EndedHelper,
    testing::Values(
        Misbehaviour{"dies_at_third_look",
                     "the helper program: has ended with exit code 1; its stderr ends with 'the switch is gone'"},
        Misbehaviour{"hangs_at_third_look", "the helper program: no answer within 1000 ms"},
        Misbehaviour{"nonsense_at_third_look",
                     "the helper program: the line is 'Traceback (most recent call last):': allowed one JSON object"}),
    [](const auto& each) { return std::string{each.param.defect}; });

TEST_F(BrokenHelper, AHelperThatDoesNotStartIsTriedAgain)
{
    live("dies_at_hello", false);
    expect_logged(
        {"device_failing", "has ended with exit code 1; its stderr ends with 'no such switch'", "in 1.000 s"});
    expect_logged({"device_failing", "in 2.000 s"});
    expect_failing();
}

TEST_F(BrokenHelper, AWrongValueMakesTheDeviceFailing)
{
    live("negative_counter", false);
    expect_logged({"device_failing", "samples[0].tx_packets is -1: allowed a whole number"});
    expect_failing();
    EXPECT_THAT(agent_->control({"status"}).out, HasSubstr("samples[0].tx_packets is -1"));
}

TEST_F(BrokenHelper, ALinkThatGoesDownIsAnEventWithItsReason)
{
    live("loses_a_link", false);
    expect_logged(
        {"link_down", "Ethernet0", "event 1: 36 Neighbor Unknown (sai.port_error 0x2 = 0x0102 PHY_REMOTE_FAULT)"});
    expect_logged({"link_up", "Ethernet0"});
    EXPECT_THAT(agent_->control({"link", "show", "--history"}).out, HasSubstr("sai.port_error 0x2"));
    EXPECT_THAT(agent_->control({"link", "show"}).out, HasSubstr("Ethernet4"));
}

TEST_F(BrokenHelper, AQueueThatTheHelperLeavesOutIsUnseen)
{
    live("leaves_rows_out", false);
    expect_logged({"queues_unseen", "Ethernet0:3", "the helper's answers leave it out"});
}

}  // namespace
}  // namespace petrel::daemon
