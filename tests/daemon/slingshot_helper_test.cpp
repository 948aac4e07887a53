// The agent on a Slingshot switch of the twin whose registers are behind a helper program: from the pause that is too
// long to the revert, and what the agent reports of a helper that is blind or lost. The agent runs in simulated time;
// the helper is a real process, whose time passes with the agent's polls.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "daemon/switch_log_text.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr auto kScenario = PETREL_TEST_DATA "/../scenarios/pause-too-long.toml";

class SlingshotHelper : public testing::Test {
protected:
    void live(const std::string& defect = "", const std::string& scenario = kScenario)
    {
        agent_ = std::make_unique<test::SimulatedAgent>(
            time_, test::SimulatedAgent::Options{
                       .folder = folder_.path(),
                       .config = fmt::format("[[device]]\nname = \"x0c0r4b0\"\nswitch_log = \"{}\"\n"
                                             "driver = \"slingshot:exec:{} {} {} {}\"\n"
                                             "[[policy]]\npreset = \"pause-too-long\"\n",
                                             (folder_ / "messages").string(), PETREL_BIN_DIR "/petrel-test-slingshot",
                                             scenario, (folder_ / "writes").string(), defect),
                       .arguments = arguments_});
    }
    void expect_logged(const std::vector<std::string>& words)
    {
        EXPECT_NE(agent_->wait_for(words), "") << agent_->log_text();
    }
    std::vector<std::string> writes() const
    {
        std::vector<std::string> lines;
        std::ifstream file{folder_ / "writes"};
        for (std::string line; std::getline(file, line);) {
            lines.push_back(line);
        }
        return lines;
    }

    test::SimulatedTime time_;
    test::TemporaryFolder folder_;
    std::vector<std::string> arguments_;  // further flags of the agent
    std::unique_ptr<test::SimulatedAgent> agent_;
};

// The times are those of scenarios/pause-too-long.toml. The node pauses from 310.7 ms on too long, and is rebooted at
// 1,500 ms: the treatment lasts for 119 polls, and ends with the first that shows no pause.
TEST_F(SlingshotHelper, APauseTooLongIsSqueezedIgnoredMonitoredAndReverted)
{
    live();
    expect_logged({"pause_too_long", "Ethernet0", "squeeze"});
    expect_logged({"pause_too_long_cleared", "Ethernet0"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    EXPECT_THAT(writes(),
                ElementsAre("320 ms: Ethernet0 R_PF_EEG_SIZE_CFG = 63, 0 discarded",
                            "320 ms: Ethernet0 PCP_ENABLE = 0, 0 discarded",
                            MatchesRegex("1510 ms: Ethernet0 R_PF_EEG_SIZE_CFG = 9216, 279[0-9][0-9] discarded"),
                            MatchesRegex("1510 ms: Ethernet0 PCP_ENABLE = 1, 279[0-9][0-9] discarded")));
    EXPECT_EQ(masked_switch_log(folder_ / "messages"), five_masked_lines(19, "x0c0r4j3p1"));
}

// A stop undoes or holds the treatment, and the node still pauses: the port stays in error, in the log and for a
// manager. The helper of the next agent begins its scenario anew, without pause: then the error is over.
TEST_F(SlingshotHelper, AStopDoesNotEndTheErrorOfThePort)
{
    for (const std::string stop : {"restore", "hold"}) {
        SCOPED_TRACE(stop);
        std::filesystem::remove(folder_ / "messages");
        std::filesystem::remove(folder_ / "writes");
        arguments_ = {"--stop", stop};
        live();
        expect_logged({"pause_too_long", "Ethernet0", "squeeze"});
        EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
        EXPECT_THAT(agent_->log_text(), testing::Not(HasSubstr("pause_too_long_cleared")));
        EXPECT_EQ(writes().size(), stop == "hold" ? 2U : 4U);
        const auto all = five_masked_lines(19, "x0c0r4j3p1");
        EXPECT_EQ(masked_switch_log(folder_ / "messages"), all.substr(0, all.find("<14>")));
        live();
        expect_logged({"pause_too_long_cleared", "Ethernet0", "quiet"});
        EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
        EXPECT_THAT(masked_switch_log(folder_ / "messages"), testing::StartsWith(all));
    }
}

// The neighbour of Ethernet1 takes the link down with 39, and sends the reason.
TEST_F(SlingshotHelper, ALinkThatGoesDownIsAnEventWithTheReasonOfItsNeighbour)
{
    const auto file = folder_ / "link.toml";
    std::filesystem::copy_file(kScenario, file);
    std::ofstream{file, std::ios::app} << "[[fault]]\nat = \"1s\"\nkind = \"link-down\"\nport = \"h1\"\nreason = 39\n"
                                          "[[fault]]\nat = \"1200ms\"\nkind = \"link-up\"\nport = \"h1\"\n";
    live("", file.string());
    expect_logged({"link_down", "Ethernet1", "event 1: 0 None, neighbour 39 FM Bounce"});
    expect_logged({"link_up", "Ethernet1"});
    EXPECT_THAT(agent_->control({"link", "show", "Ethernet1"}).out, HasSubstr("39 FM Bounce"));
    EXPECT_THAT(agent_->control({"link", "clear", "Ethernet1", "--sequence", "1"}).exit_code, 0);
    EXPECT_THAT(agent_->control({"link", "show", "Ethernet1"}).out, testing::Not(HasSubstr("39 FM Bounce")));
}

TEST_F(SlingshotHelper, AHelperThatEndsIsReportedAndStartedAgain)
{
    live("ends_after=5");
    expect_logged({"device_watched"});
    expect_logged({"device_failing", "has ended with exit code 1; its stderr ends with 'the driver is gone'"});
    EXPECT_THAT(agent_->metrics(), HasSubstr("petrel_device_condition{device=\"x0c0r4b0\",condition=\"failing\"} 1"));
    expect_logged({"device_opened"});
    expect_logged({"device_watched"});
}

TEST_F(SlingshotHelper, APortThatCannotBeReadIsUnseen)
{
    live("unreadable=Ethernet0");
    expect_logged({"queues_unseen", "Ethernet0", "the bus does not answer"});
}

}  // namespace
}  // namespace petrel::daemon
