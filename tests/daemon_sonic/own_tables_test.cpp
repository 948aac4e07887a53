// pfcwd without SONiC: an agent that keeps the tables itself, in simulated time, and the tools that read and write them
// by its control requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <string>

#include "support/shared_switch.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::SharedSwitch;
using test::SimulatedAgent;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using watchdog::Treatment;

class OwnTablesAgent : public testing::Test {
protected:
    void live(const std::string& policies = {}, std::vector<std::string> flags = {"--nos", "own"})
    {
        agent.reset();
        agent = std::make_unique<SimulatedAgent>(
            time, SimulatedAgent::Options{.folder = folder.path(),
                                          .config = policies + "[[device]]\nname = \"sw\"\ndriver = \"shared:" +
                                                    (folder / "switch").string() + "\"\n",
                                          .arguments = std::move(flags)});
    }

    // An agent that has read the ports of its switch: agent_ready is logged after that.
    void ready()
    {
        live();
        agent->wait_for("agent_ready");
    }

    test::Ended run(const std::string& tool, std::vector<std::string> arguments)
    {
        return agent->tool(tool, std::move(arguments));
    }
    std::string output_of(std::vector<std::string> arguments)
    {
        const auto ended = run("pfcwd", std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
        return ended.out;
    }

    void wait_for_treatment(std::uint16_t port, Treatment treatment)
    {
        ASSERT_TRUE(sw.wait_until([&] { return sw.in_force(port) == treatment; }));
    }

    std::filesystem::path file() const { return folder / "state" / "tables.json"; }
    std::string content() const
    {
        std::ifstream in{file()};
        return {std::istreambuf_iterator<char>{in}, {}};
    }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
    SharedSwitch sw{folder / "switch", &time};
    std::unique_ptr<SimulatedAgent> agent;
};

TEST_F(OwnTablesAgent, AtFirstNothingIsWatchedAndThePortsAreThoseOfTheDevice)
{
    ready();
    EXPECT_THAT(output_of({"show", "config"}), Not(HasSubstr("Ethernet")));
    EXPECT_THAT(output_of({"show", "stats", "-e"}), AllOf(HasSubstr("Ethernet0:3"), HasSubstr("Ethernet3:3")));
    EXPECT_THAT(run("pfc", {"show", "priority"}).out, HasSubstr("Ethernet3"));
    sw.storm(1);
    EXPECT_THAT(output_of({"start", "Ethernet2", "100"}), HasSubstr("restoration time not defined"));
    sw.storm(2);
    wait_for_treatment(2, Treatment::drop);
    EXPECT_EQ(sw.in_force(1), Treatment::none) << "the queue is not configured to be watched";
}

TEST_F(OwnTablesAgent, StartIsRefusedWhileNoPortIsKnown)
{
    sw.set(SharedSwitch::Fault::gone, true);
    live();
    agent->wait_for("nos_configured");
    const auto refused = run("pfcwd", {"start", "all", "100"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("no port is known yet"));
}

TEST_F(OwnTablesAgent, TablesShowAStormFromBeginToEnd)
{
    ready();
    output_of({"start", "--action", "drop", "all", "100", "--restoration-time", "300"});
    EXPECT_THAT(agent->wait_for("tables_changed"), HasSubstr("PFC_WD|Ethernet0 by "));
    EXPECT_THAT(output_of({"show", "config"}),
                AllOf(HasSubstr("Ethernet0      drop               100                 300"),
                      HasSubstr("Ethernet3      drop")));
    EXPECT_EQ(run("pfcwd", {"show", "stats", "--check-storm"}).exit_code, 0);

    sw.storm(1);
    EXPECT_THAT(agent->wait_for("PFC Watchdog detected PFC storm"), HasSubstr("on port Ethernet1, queue index 3"));
    EXPECT_THAT(output_of({"show", "stats"}),
                AllOf(ContainsRegex("Ethernet1:3 +stormed +1/0 "), Not(HasSubstr("Ethernet2:3"))));
    EXPECT_EQ(run("pfcwd", {"show", "stats", "--check-storm"}).exit_code, 1);
    EXPECT_EQ(sw.in_force(1), Treatment::drop);

    sw.calm(1);
    agent->wait_for("PFC Watchdog storm restored");
    EXPECT_THAT(output_of({"show", "stats"}), ContainsRegex("Ethernet1:3 +operational +1/1 "));
    EXPECT_THAT(output_of({"show", "history"}), AllOf(HasSubstr("storm_detected"), HasSubstr("storm_restored")));
}

TEST_F(OwnTablesAgent, AChangeIsInForceWhenTheCommandReturns)
{
    ready();
    output_of({"start", "Ethernet1", "100"});
    EXPECT_THAT(agent->control({"queues"}).out, HasSubstr("pfcwd-drop-100-200"));
    output_of({"stop", "Ethernet1"});
    EXPECT_THAT(agent->control({"queues"}).out, Not(HasSubstr("pfcwd-drop")));
    output_of({"interval", "150"});
    EXPECT_THAT(content(), HasSubstr(R"("POLL_INTERVAL": "150")"));
    output_of({"stop"});
    EXPECT_THAT(output_of({"show", "config"}), Not(HasSubstr("Ethernet")));
}

// The file's roles of all ports: only this one faces a server.
std::string only_server(const std::string& server)
{
    std::string roles;
    for (std::uint16_t port = 0; port != SharedSwitch::kPorts; ++port) {
        const auto name = "Ethernet" + std::to_string(port);
        roles += "[[port]]\nname = \"" + name + "\"\nrole = \"" + (name == server ? "host" : "switch") + "\"\n";
    }
    return roles;
}

TEST_F(OwnTablesAgent, StartDefaultWatchesThePortsThatFaceServers)
{
    live(only_server("Ethernet1"));
    agent->wait_for("agent_ready");
    output_of({"start_default"});
    EXPECT_THAT(output_of({"show", "config"}),
                AllOf(HasSubstr("Ethernet1      drop               200                 200"),
                      HasSubstr("Changed polling interval to 200ms"), Not(HasSubstr("Ethernet2"))));
    sw.storm(1);
    sw.storm(2);
    wait_for_treatment(1, Treatment::drop);
    EXPECT_EQ(sw.in_force(2), Treatment::none);
}

TEST_F(OwnTablesAgent, StartDefaultFailsIfItWouldStartNothing)
{
    live(only_server("none"));
    agent->wait_for("agent_ready");
    const auto no_server = run("pfcwd", {"start_default"});
    EXPECT_EQ(no_server.exit_code, 1);
    EXPECT_THAT(no_server.err, HasSubstr("no port is known to face a server"));
    live(only_server("Ethernet1"));
    agent->wait_for("agent_ready");
    agent->kill();
    std::ofstream{file()} << R"({"PORT_QOS_MAP": {"Ethernet1": {"pfc_enable": "", "pfcwd_sw_enable": ""}}})";
    live(only_server("Ethernet1"));
    agent->wait_for("agent_ready");
    const auto no_pfc = run("pfcwd", {"start_default"});
    EXPECT_EQ(no_pfc.exit_code, 1);
    EXPECT_THAT(no_pfc.err, HasSubstr("PFC is not enabled on any port that faces a server (Ethernet1)"));
    EXPECT_THAT(output_of({"show", "config"}), Not(HasSubstr("Ethernet")));
}

TEST_F(OwnTablesAgent, StopReleasesAQueueInAStorm)
{
    ready();
    output_of({"start", "all", "100"});
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    output_of({"stop", "Ethernet1"});
    wait_for_treatment(1, Treatment::none);
}

TEST_F(OwnTablesAgent, RemovingAPortEndsItsStorm)
{
    ready();
    output_of({"start", "all", "100"});
    sw.storm(1);
    agent->wait_for("PFC Watchdog detected PFC storm");
    sw.have_ports({0, 2, 3});
    EXPECT_TRUE(sw.wait_until([&] { return run("pfcwd", {"show", "stats", "--check-storm"}).exit_code == 0; }));
}

TEST_F(OwnTablesAgent, TheBigRedSwitchMitigatesEveryQueue)
{
    ready();
    output_of({"big_red_switch", "enable"});
    for (std::uint16_t port = 0; port != SharedSwitch::kPorts; ++port) {
        wait_for_treatment(port, Treatment::drop);
    }
    output_of({"big_red_switch", "disable"});
    for (std::uint16_t port = 0; port != SharedSwitch::kPorts; ++port) {
        wait_for_treatment(port, Treatment::none);
    }
}

TEST_F(OwnTablesAgent, StatisticsAreClearedExceptOfAStormThatGoesOn)
{
    ready();
    output_of({"start", "all", "100", "-r", "100"});
    sw.storm(1);
    sw.storm(2);
    agent->wait_for(std::vector<std::string>{"PFC Watchdog detected", "Ethernet2"});
    sw.calm(1);
    agent->wait_for("PFC Watchdog storm restored");
    EXPECT_THAT(output_of({"show", "stats"}), AllOf(HasSubstr("Ethernet1:3"), HasSubstr("Ethernet2:3")));
    EXPECT_EQ(output_of({"clear"}), "SKIPPED: storm on queue: Ethernet2:3\n");
    EXPECT_THAT(output_of({"show", "stats"}), AllOf(Not(HasSubstr("Ethernet1:3")), HasSubstr("Ethernet2:3")));
    EXPECT_THAT(agent->control({"clear", "Ethernet2:3"}).out,
                AllOf(HasSubstr("sw: the statistics of 0 queues are zero"),
                      HasSubstr("sw:Ethernet2:3 is in a storm: its statistics stay")));
    EXPECT_THAT(agent->control({"clear", "--all"}).out, HasSubstr("sw: the statistics of 3 queues are zero"));
    EXPECT_THAT(agent->control({"events"}).out, HasSubstr("clear by"));
}

TEST_F(OwnTablesAgent, PauseHistoryIsKeptForConfiguredPorts)
{
    ready();
    output_of({"start", "Ethernet1", "100", "--pfc-stat-history"});
    output_of({"start", "Ethernet2", "100"});
    sw.storm(1);
    sw.storm(2);
    std::string shown;
    EXPECT_TRUE(sw.wait_until([&] {
        shown = run("pfcstat", {"--history"}).out;
        return testing::Value(shown, ContainsRegex("Ethernet1 +PFC3 +0 +[0-9,]+ +[1-9][0-9,]+ +[0-9/]+, [0-9:]+"));
    })) << shown;
    EXPECT_THAT(shown, ContainsRegex("Ethernet2 +PFC3 +0 +[0-9,]+ +N/A +N/A"));
}

// ----------------------------------------------------------------------------------- what survives a restart

TEST_F(OwnTablesAgent, TheConfigurationSurvivesAKillDuringAStorm)
{
    ready();
    output_of({"start", "Ethernet1", "100", "-r", "300"});
    const auto configured = output_of({"show", "config"});
    sw.storm(1);
    wait_for_treatment(1, Treatment::drop);
    agent->kill();
    EXPECT_EQ(sw.in_force(1), Treatment::drop);
    ready();
    EXPECT_EQ(sw.in_force(1), Treatment::drop) << "the storm still goes on";
    EXPECT_EQ(output_of({"show", "config"}), configured);
    sw.calm(1);
    wait_for_treatment(1, Treatment::none);
}

TEST_F(OwnTablesAgent, RefusesPfcThatTheDeviceDoesNotHave)
{
    ready();
    const auto pfc = [&](std::vector<std::string> arguments) { return run("pfc", std::move(arguments)); };
    const auto priority = pfc({"config", "priority", "on", "Ethernet1", "5"});
    EXPECT_NE(priority.exit_code, 0);
    EXPECT_THAT(priority.out + priority.err, HasSubstr("Ethernet1 has no lossless queue 5: its device has 3"));
    const auto off = pfc({"config", "priority", "off", "Ethernet1", "3"});
    EXPECT_EQ(off.exit_code, 1);
    EXPECT_THAT(off.err, HasSubstr("PFC of priority 3 is on on Ethernet1, and the agent does not program it"));
    EXPECT_THAT(pfc({"show", "priority"}).out, testing::ContainsRegex("Ethernet1 +3\n"));
    EXPECT_NE(pfc({"config", "asymmetric", "on", "Ethernet1"}).exit_code, 0);
}

TEST_F(OwnTablesAgent, EntriesOfAnOperatorStay)
{
    std::filesystem::create_directories(folder / "state");
    std::ofstream{file()} << R"({"PORT_QOS_MAP": {"Ethernet1": {"pfc_enable": "4", "pfcwd_sw_enable": "4"}}})";
    ready();
    output_of({"show", "stats", "-e"});
    EXPECT_THAT(content(), AllOf(HasSubstr(R"("pfcwd_sw_enable": "4")"), HasSubstr(R"("pfcwd_sw_enable": "3")")));
}

TEST_F(OwnTablesAgent, AnUnreadableFileIsAnError)
{
    std::filesystem::create_directories(folder / "state");
    std::ofstream{file()} << R"({"PFC_WD": {"Ethernet1": {"detection_ti)";
    live();
    EXPECT_THAT(agent->wait_for("tables.json:1:40"), HasSubstr("allowed JSON (syntax error"));
    EXPECT_THAT(agent->wait_for("petrel: "), HasSubstr("tables.json cannot be read: 1 problem. It lists"));
    EXPECT_EQ(agent->wait(), 1);
    EXPECT_THAT(content(), HasSubstr("detection_ti")) << "the file is unchanged";
}

// ---------------------------------------------------------------------------------------------------- refusals

TEST_F(OwnTablesAgent, AnotherAgentHasNoTables)
{
    live("[[policy]]\npreset = \"sonic\"\n", {});
    agent->wait_for("agent_ready");
    const auto ended = run("pfcwd", {"show", "config"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err, "Error: this agent keeps no tables: set nos = \"own\" in [agent]\n");
}

TEST_F(OwnTablesAgent, AnInvalidEntryIsReportedAndTheOthersStay)
{
    std::filesystem::create_directories(folder / "state");
    std::ofstream{file()} << R"({"PFC_WD": {"Ethernet1": {"detection_time": "50"}}})";
    live();
    EXPECT_THAT(agent->wait_for("nos_entry_bad"), HasSubstr("PFC_WD|Ethernet1: there is no such port"));
    EXPECT_THAT(agent->wait_for("nos_entry_bad"), HasSubstr("PFC_WD|Ethernet1: detection_time is '50'"));
    output_of({"start", "Ethernet2", "100"});
    sw.storm(2);
    wait_for_treatment(2, Treatment::drop);
}

TEST_F(OwnTablesAgent, RemovedTablesAreWrittenAgain)
{
    ready();
    output_of({"start", "--action", "drop", "Ethernet1", "400"});
    const auto before = content();
    for (const auto& name : {file(), std::filesystem::path{file().string() + ".lock"}}) {
        std::filesystem::remove(name);
        EXPECT_THAT(agent->wait_for("file_lost"), HasSubstr("tables.json was removed or replaced"));
        EXPECT_EQ(content(), before);
        EXPECT_TRUE(std::filesystem::exists(name));
    }
    EXPECT_EQ(agent->stop(), 0);
}

TEST_F(OwnTablesAgent, AFifoInPlaceOfTheTablesIsRefusedAtOnce)
{
    std::filesystem::create_directories(folder / "state");
    ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
    ready();
    EXPECT_NE(agent->wait(), 0);
    EXPECT_THAT(agent->log_text(), HasSubstr("tables.json: it is a FIFO; allowed: a regular file"));
}

}  // namespace
}  // namespace petrel::daemon
