// Every kind of change to the configuration of an agent during a storm, in simulated time. The agent applies a new
// configuration as a whole, or rejects all of it and reports why. The treatments in force follow the new configuration.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
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
using watchdog::Treatment;

constexpr auto kPolicy = "[[policy]]\npreset = \"sonic\"\ndetect_ms = 100\nrestore_ms = 300\npoll_ms = 100\n";  // drops

class ConfigChange : public testing::Test {
protected:
    void SetUp() override
    {
        agent = std::make_unique<test::SimulatedAgent>(
            time, test::SimulatedAgent::Options{.folder = folder.path(), .config = config(kPolicy)});
        ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
        sw.storm(kPort);
        expect_treated(Treatment::drop);
        ASSERT_NE(agent->wait_for("storm_detected"), "");
    }

    std::string config(std::string_view policies) const
    {
        return fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n{}", (folder / "switch").string(),
                           policies);
    }

    void change_to(std::string_view policies)
    {
        agent->write_config(config(policies));
        const auto reloaded = agent->control({"reload"});
        EXPECT_EQ(reloaded.exit_code, 0) << reloaded.out << reloaded.err;
        EXPECT_NE(agent->wait_for("reload_good"), "");
    }

    // The treatment in force does not change; the client's output and the log contain the reason.
    void expect_refused(const std::string& whole_config, const std::string& why)
    {
        const auto writes = sw.writes(kPort).size();
        agent->write_config(whole_config);
        const auto reloaded = agent->control({"reload"});
        EXPECT_EQ(reloaded.exit_code, 2);
        EXPECT_THAT(reloaded.out + reloaded.err, HasSubstr(why));
        EXPECT_THAT(agent->wait_for("reload_bad"), HasSubstr(why));
        EXPECT_THAT(agent->metrics(), HasSubstr("petrel_config_reloads_total{result=\"bad\"} 1"));
        EXPECT_EQ(sw.writes(kPort).size(), writes);
        EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
        expect_restored_when_calm();
    }

    void expect_treated(Treatment treatment, std::uint16_t port = kPort)
    {
        EXPECT_TRUE(sw.wait_until([&] { return sw.in_force(port) == treatment; })) << port;
    }

    void expect_restored_when_calm()
    {
        sw.calm(kPort);
        expect_treated(Treatment::none);
        EXPECT_EQ(agent->stop(), 0) << agent->log_text();
        EXPECT_EQ(sw.configuration(kPort), SharedSwitch::kConfigured + kPort);
    }

    // Waits until the agent has made this many further looks.
    void let_pass(std::uint64_t looks)
    {
        const auto enough = sw.looks() + looks;
        ASSERT_TRUE(sw.wait_until([&] { return sw.looks() >= enough; }));
    }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
    SharedSwitch sw{folder / "switch", &time};
    std::unique_ptr<test::SimulatedAgent> agent;
};

TEST_F(ConfigChange, ReloadingTheSameConfigurationChangesNothing)
{
    const auto writes = sw.writes(kPort).size();
    change_to(kPolicy);
    let_pass(5);
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    const auto after = sw.writes(kPort);
    for (std::size_t i = writes; i < after.size(); ++i) {
        EXPECT_EQ(SharedSwitch::treatment_in(after[i].value), Treatment::drop);
    }
    expect_restored_when_calm();
}

// A real process receives the signal.
TEST(ConfigChangeOfAProcess, BySignal)
{
    const test::TemporaryFolder folder;
    SharedSwitch sw{folder / "switch"};
    const auto config = [&](std::string_view action) {
        return fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n{}action = \"{}\"\n",
                           (folder / "switch").string(), kPolicy, action);
    };
    const auto expect_treated = [&](Treatment treatment) {
        EXPECT_TRUE(sw.wait_until([&] { return sw.in_force(kPort) == treatment; }));
    };
    AgentProcess agent{
        {.folder = folder.path(), .config = config("drop"), .program = PETREL_BIN_DIR "/petrel-test-agent"}};
    ASSERT_NE(agent.wait_for("agent_ready"), "") << agent.log_text();
    sw.storm(kPort);
    expect_treated(Treatment::drop);
    agent.write_config(config("forward"));
    agent.signal(SIGHUP);
    EXPECT_NE(agent.wait_for("reload_good"), "");
    expect_treated(Treatment::ignore_pause);
    sw.calm(kPort);
    expect_treated(Treatment::none);
    EXPECT_EQ(agent.stop(), 0) << agent.log_text();
    EXPECT_EQ(sw.configuration(kPort), SharedSwitch::kConfigured + kPort);
}

TEST_F(ConfigChange, ChangingTheActionToAlertReleases)
{
    change_to(std::string{kPolicy} + "action = \"alert\"\n");
    expect_treated(Treatment::none);
    let_pass(5);
    EXPECT_EQ(sw.in_force(kPort), Treatment::none);
    EXPECT_EQ(agent->stop(), 0);
    EXPECT_EQ(sw.configuration(kPort), SharedSwitch::kConfigured + kPort);
}

TEST_F(ConfigChange, UnwatchingAQueueReleasesIt)
{
    change_to(std::string{kPolicy} + "ports = [\"Ethernet0\"]\n");
    expect_treated(Treatment::none);
    EXPECT_NE(agent->wait_for(std::vector<std::string>{"storm_re", "Ethernet1:3"}), "")
        << "the storm of the removed queue is closed";
    EXPECT_EQ(agent->stop(), 0);
}

TEST_F(ConfigChange, NewTimesApplyAtOnce)
{
    change_to("[[policy]]\npreset = \"sonic\"\ndetect_ms = 5000\nrestore_ms = 300\npoll_ms = 100\n");
    let_pass(3);
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop) << "a storm in progress stays mitigated";
    sw.calm(kPort);
    expect_treated(Treatment::none);
    sw.storm(kPort);
    let_pass(5);
    EXPECT_EQ(sw.in_force(kPort), Treatment::none) << "five polls are no storm any more";
    EXPECT_EQ(agent->stop(), 0);
}

TEST_F(ConfigChange, TheBigRedSwitchTreatsEveryQueueAndRestoresThem)
{
    agent->write_config("big_red_switch = true\n" + config(kPolicy));
    EXPECT_EQ(agent->control({"reload"}).exit_code, 0);
    for (std::uint16_t port = 0; port < SharedSwitch::kPorts; ++port) {
        expect_treated(Treatment::drop, port);
    }
    for (const std::vector<std::string>& order :
         {std::vector<std::string>{"release", "Ethernet1:3"}, {"release-all"}}) {
        EXPECT_NE(agent->control(order).out.find("the big red switch is still on"), std::string::npos);
    }
    sw.calm(kPort);
    change_to(kPolicy);
    for (std::uint16_t port = 0; port < SharedSwitch::kPorts; ++port) {
        expect_treated(Treatment::none, port);
    }
    EXPECT_EQ(agent->stop(), 0);
}

// As in the configuration, but by order: also after a death of the agent, until another order turns it off.
TEST_F(ConfigChange, AnOrderTurnsTheBigRedSwitch)
{
    const auto expect_all_treated = [&](Treatment treatment) {
        for (std::uint16_t port = 0; port < SharedSwitch::kPorts; ++port) {
            expect_treated(treatment, port);
        }
    };
    sw.calm(kPort);
    expect_treated(Treatment::none);
    EXPECT_THAT(agent->control({"red-switch", "on", "--note", "ticket 7"}).out,
                HasSubstr("sw: the big red switch is on; 0 mitigated before, 4 now"));
    expect_all_treated(Treatment::drop);
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("the big red switch is on"));
    EXPECT_THAT(agent->control({"release-all"}).out, HasSubstr("the big red switch is still on"));
    agent->kill();
    agent->start();
    ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
    expect_all_treated(Treatment::drop);
    EXPECT_THAT(agent->control({"events"}).out, testing::ContainsRegex("red_switch_on by .*: ticket 7"));
    EXPECT_THAT(agent->control({"red-switch", "off"}).out,
                HasSubstr("sw: the big red switch is off; 4 mitigated before, 0 now"));
    expect_all_treated(Treatment::none);
    EXPECT_THAT(agent->control({"status"}).out, testing::Not(HasSubstr("the big red switch")));
    EXPECT_EQ(agent->stop(), 0);
}

TEST_F(ConfigChange, NoOrderTurnsOffWhatTheConfigurationTurnsOn)
{
    agent->write_config("big_red_switch = true\n" + config(kPolicy));
    EXPECT_EQ(agent->control({"reload"}).exit_code, 0);
    expect_treated(Treatment::drop, kPort + 1);
    const auto refused = agent->control({"red-switch", "off"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("sw: the configuration turns the big red switch on"));
    EXPECT_EQ(sw.in_force(kPort + 1), Treatment::drop);
    for (const auto* state : {"", "On"}) {
        EXPECT_EQ(agent->control({"red-switch", state}).exit_code, 2);
    }
    EXPECT_EQ(agent->stop(), 0);
}

// A file with ports, then what an operator has pushed, then a file without ports.
TEST_F(ConfigChange, PushedPoliciesWinOverTheFileUnlessItNamesThePort)
{
    const auto file = (folder / "quiet.toml").string();
    std::ofstream{file} << kPolicy << "name = \"quiet\"\naction = \"alert\"\n";
    const auto pushed = agent->control({"policy", "push", file});
    EXPECT_EQ(pushed.exit_code, 0) << pushed.err;
    expect_treated(Treatment::none);
    EXPECT_THAT(agent->control({"status"}).out, testing::ContainsRegex("policy quiet on .* from pushed"));
    agent->kill();
    agent->start();
    ASSERT_NE(agent->wait_for("storm_alert"), "") << "they stay over a restart";
    EXPECT_EQ(sw.in_force(kPort), Treatment::none);

    change_to(fmt::format("{}{}name = \"port\"\nports = [\"Ethernet1\"]\n", kPolicy, kPolicy));
    expect_treated(Treatment::drop);
    EXPECT_THAT(agent->control({"status"}).out, testing::ContainsRegex("policy port on 1 port: from .*agent.toml"));
    change_to(kPolicy);
    expect_treated(Treatment::none);

    std::ofstream{file} << kPolicy << "ports = [\"Ethernet99\"]\n";
    const auto refused = agent->control({"policy", "push", file});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, testing::ContainsRegex("pushed:[0-9]+:[0-9]+: value 'Ethernet99'"));
    EXPECT_THAT(agent->control({"status"}).out, HasSubstr("policy quiet on"));

    EXPECT_EQ(agent->control({"policy", "drop"}).exit_code, 0);
    expect_treated(Treatment::drop);
    EXPECT_THAT(agent->control({"status"}).out, testing::Not(HasSubstr("from pushed")));
    EXPECT_EQ(agent->stop(), 0);
}

TEST_F(ConfigChange, AConfigurationWithAnErrorIsRefusedAsAWhole)
{
    expect_refused(config("[[policy]]\npreset = \"sonic\"\ndetect_ms = 7\naction = \"alert\"\n"), "detect_ms");
}

TEST_F(ConfigChange, AnUnknownPortIsRefused)
{
    expect_refused(config(std::string{kPolicy} + "ports = [\"Ethernet77\"]\n"), "Ethernet77");
}

TEST_F(ConfigChange, APolicyThatWouldWatchNothingIsRefused)
{
    expect_refused(config(std::string{kPolicy} + "[[policy]]\npreset = \"rdma-switch\"\nports = [\"Ethernet0\"]\n"
                                                 "[[port]]\nname = \"Ethernet0\"\nrole = \"switch\"\n"),
                   "policy rdma-switch watches no queue: it is for ports that face servers");
}

TEST_F(ConfigChange, APolicyForQueuesThatDoNotExistIsRefused)
{
    expect_refused(config(std::string{kPolicy} + "[[policy]]\npreset = \"sonic\"\nname = \"six\"\npriorities = "
                                                 "\"6\"\n"),
                   "policy six watches no queue: no device has a queue that it is for");
}

TEST_F(ConfigChange, AChangeThatNeedsARestartIsRefused)
{
    expect_refused("[[device]]\nname = \"other\"\ndriver = \"shared:nowhere\"\n" + std::string{kPolicy}, "restart");
}

TEST_F(ConfigChange, AMissingFileIsRefused)
{
    std::filesystem::remove(agent->file());
    const auto reloaded = agent->control({"reload"});
    EXPECT_EQ(reloaded.exit_code, 2) << reloaded.out << reloaded.err;
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    expect_restored_when_calm();
}

}  // namespace
}  // namespace petrel::daemon
