// The agent on a fabric of the twin: a storm is detected, mitigated and restored, and every control command has its
// documented effect. In simulated time, except for tests of the process itself and of its sockets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "daemon/switch_log_text.hpp"
#include "support/agent_process.hpp"
#include "support/simulated_agent.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One switch, four hosts; the NIC of h0 pauses its switch from 0.3 s on, for a second and a half.
constexpr auto kFabric = R"(name = "agent-test"
duration = "20s"
[topology]
kind = "leaf-spine"
leaves = 1
spines = 1
hosts_per_leaf = 4
host_links = { speed = "1G", cable_m = 5 }
[[traffic]]
name = "to h0"
from = "h1"
to = "h0"
rate = "50M"
[[fault]]
at = "300ms"
until = "1800ms"
kind = "storm"
period = "10ms"
host = "h0"
priorities = 3
)";

// `petrel agent` as it ships, in wall-clock time.
class ProcessOnTwin : public testing::Test {
protected:
    void SetUp() override { std::ofstream{folder / "fabric.toml"} << kFabric; }

    std::string config() const
    {
        return "[[device]]\ndriver = \"twin:" + (folder / "fabric.toml").string() + "#leaf0\"\n" +
               "[[policy]]\npreset = \"sonic\"\ndetect_ms = 200\nrestore_ms = 300\npoll_ms = 100\n";
    }

    void live()
    {
        process = std::make_unique<AgentProcess>(AgentProcess::Options{.folder = folder.path(), .config = config()});
        process->metrics();  // reads the metrics port from the log and stores it
        ASSERT_NE(process->wait_for("agent_ready"), "") << process->log_text();
    }

    test::TemporaryFolder folder;
    std::unique_ptr<AgentProcess> process;
};

class AgentOnTwin : public ProcessOnTwin {
protected:
    void SetUp() override
    {
        ProcessOnTwin::SetUp();
        agent = std::make_unique<test::SimulatedAgent>(
            time, test::SimulatedAgent::Options{.folder = folder.path(), .config = config()});
        ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
    }

    std::string answer(std::vector<std::string> arguments)
    {
        const auto ended = agent->control(std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    }

    test::SimulatedTime time;
    std::unique_ptr<test::SimulatedAgent> agent;
};

TEST_F(ProcessOnTwin, AStormIsDetectedMitigatedAndRestored)
{
    live();
    const auto answer = [&](std::vector<std::string> arguments) {
        const auto ended = process->control(std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    };
    EXPECT_THAT(process->wait_for("storm_detected"), AllOf(HasSubstr("leaf0:Ethernet0:3"), HasSubstr("action=drop")));
    EXPECT_THAT(answer({"explain", "Ethernet0:3"}), AllOf(HasSubstr("Ethernet0"), HasSubstr("limit 200 ms")));
    EXPECT_THAT(process->metrics(), HasSubstr("petrel_storms_detected_total{device=\"leaf0\"} 1"));
    EXPECT_THAT(process->wait_for("storm_restored"), HasSubstr("leaf0:Ethernet0:3"));
    EXPECT_THAT(answer({"queues", "--stormed"}), Not(HasSubstr("Ethernet0")));
    const auto events = answer({"events", "--json"});
    EXPECT_THAT(events, AllOf(HasSubstr("\"event\":\"storm_detected\""), HasSubstr("\"event\":\"storm_restored\"")));
    EXPECT_EQ(process->stop(), 0);
}

// A Slingshot switch whose host h0 stops its receive pipeline and is rebooted. The agent's file names the port
// otherwise than the scenario.
class SwitchLog : public testing::Test {
protected:
    static std::string config(const std::filesystem::path& log)
    {
        return fmt::format("[[device]]\ndriver = \"twin:{}/../scenarios/pause-too-long.toml\"\nswitch_log = \"{}\"\n"
                           "[[policy]]\npreset = \"pause-too-long\"\n"
                           "[[port]]\nname = \"Ethernet0\"\nnumber = 20\nxname = \"x0c0r4j3p0\"\n",
                           PETREL_TEST_DATA, log.string());
    }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
};

TEST_F(SwitchLog, HasTheLinesOfASlingshotSwitch)
{
    const auto log = folder / "messages";
    test::SimulatedAgent agent{time, {.folder = folder.path(), .config = config(log)}};
    EXPECT_NE(agent.wait_for("pause_too_long_cleared"), "") << agent.log_text();
    EXPECT_EQ(agent.stop(), 0);
    EXPECT_EQ(masked_switch_log(log), five_masked_lines(20, "x0c0r4j3p0"));
}

TEST_F(SwitchLog, ThatCannotBeWrittenStopsTheStart)
{
    test::SimulatedAgent agent{time, {.folder = folder.path(), .config = config(folder / "no" / "where")}};
    EXPECT_TRUE(agent.ended());
    EXPECT_THAT(agent.log_text(), HasSubstr((folder / "no" / "where").string()));
}

TEST_F(AgentOnTwin, EveryCommandAnswersAsTextAndJson)
{
    const std::vector<std::vector<std::string>> commands{{"status"},
                                                         {"queues"},
                                                         {"queues", "--stormed"},
                                                         {"explain", "Ethernet1:3"},
                                                         {"mitigate", "Ethernet1:3"},
                                                         {"hold", "Ethernet1:3"},
                                                         {"release", "Ethernet1:3"},
                                                         {"release-all"},
                                                         {"events"},
                                                         {"reload"}};
    for (const auto& command : commands) {
        EXPECT_NE(answer(command), "") << command.front();
        auto as_json = command;
        as_json.emplace_back("--json");
        EXPECT_THAT(answer(as_json),
                    HasSubstr(command.front() == "events" ? "\"event\":\"order_taken\"" : "\"ok\":true"))
            << command.front();
    }
    EXPECT_EQ(agent->stop(), 0);
}

TEST_F(AgentOnTwin, AnOrderHoldsUntilItIsReleased)
{
    EXPECT_THAT(answer({"mitigate", "Ethernet1:3", "--note", "drill"}), HasSubstr("mitigat"));
    EXPECT_THAT(agent->wait_for("order_taken"), AllOf(HasSubstr("mitigate by"), HasSubstr("drill")));
    EXPECT_THAT(answer({"queues", "--stormed"}), HasSubstr("Ethernet1"));
    EXPECT_THAT(answer({"release", "Ethernet1:3"}), HasSubstr("Ethernet1:3"));
    EXPECT_NE(agent->wait_for("storm_released"), "");
    EXPECT_THAT(answer({"release", "Ethernet1:3"}), HasSubstr("nothing to release"));
    EXPECT_EQ(agent->stop(), 0);
}

// The log counts the lines that it omits; the history has every event, in order.
TEST_F(AgentOnTwin, AQueueThatFlapsFillsTheHistoryAndNotTheLog)
{
    constexpr std::size_t kFlaps = 200;
    control::ControlRequest request;
    request.queue = "Ethernet1:3";
    for (std::size_t i = 0; i != kFlaps; ++i) {
        for (const auto command :
             {control::ControlRequest::Command::mitigate, control::ControlRequest::Command::release}) {
            request.command = command;
            ASSERT_TRUE(agent->answer(request));
        }
    }
    // The agent publishes events that have no commands a little later.
    std::size_t orders = 0;
    time.run_until([&] {
        std::istringstream events{answer({"events", "--json"})};
        std::uint64_t last_seq = 0;
        orders = 0;
        for (std::string line; std::getline(events, line);) {
            orders += line.find("\"event\":\"order_taken\"") != std::string::npos ? 1U : 0U;
            const auto seq = std::stoull(line.substr(line.find("\"seq\":") + 6));
            EXPECT_GT(seq, last_seq);
            last_seq = seq;
        }
        return orders == 2 * kFlaps;
    });
    EXPECT_EQ(orders, 2 * kFlaps);
    EXPECT_EQ(agent->stop(), 0);
    std::size_t written = 0;
    std::size_t counted = 0;
    for (const auto& line : agent->log()) {
        written += line.find(" order_taken leaf0:Ethernet1:3") != std::string::npos ? 1U : 0U;
        if (line.find(" lines_suppressed leaf0:Ethernet1:3: order_taken: ") != std::string::npos) {
            counted += std::stoull(line.substr(line.find("count=") + 6));
        }
    }
    EXPECT_GT(counted, 0U);
    EXPECT_EQ(written + counted, 2 * kFlaps);
}

TEST_F(AgentOnTwin, InvalidOrdersAreRefusedWithAHint)
{
    const auto refused = [&](std::vector<std::string> arguments) {
        const auto ended = agent->control(std::move(arguments));
        EXPECT_EQ(ended.exit_code, 2) << ended.out;
        return ended.err;
    };
    EXPECT_THAT(refused({"mitigate", "Ethernet9:3"}), HasSubstr("the nearest is 'Ethernet0:3'"));
    EXPECT_THAT(refused({"mitigate", "Ethernet1:3", "--device", "nobody"}), HasSubstr("nobody"));
    EXPECT_THAT(refused({"hold", "Ethernet1:3"}), HasSubstr("petrel mitigate"));
    EXPECT_EQ(agent->stop(), 0);
}

// Two switches with the same ports: each name that an answer suggests works.
TEST_F(ProcessOnTwin, AQueueIsNamedWithItsDevice)
{
    test::SimulatedTime time;
    const auto whole = "[[device]]\ndriver = \"twin:" + std::string{PETREL_TEST_DATA} +
                       "/../scenarios/agent/calm.toml\"\n[[policy]]\npreset = \"sonic\"\n";
    test::SimulatedAgent agent{time, {.folder = folder.path(), .config = whole}};
    ASSERT_NE(agent.wait_for("agent_ready"), "") << agent.log_text();
    time.run_for(std::chrono::seconds{2});  // until the links are read, too
    const auto refused = [&](std::vector<std::string> arguments) {
        const auto ended = agent.control(std::move(arguments));
        EXPECT_EQ(ended.exit_code, 2) << ended.out;
        return ended.err;
    };
    EXPECT_THAT(agent.control({"mitigate", "leaf1:Ethernet1:3"}).out, HasSubstr("leaf1:Ethernet1:3 is mitigating"));
    EXPECT_THAT(agent.control({"explain", "leaf1:Ethernet1:3"}).out, HasSubstr("leaf1:Ethernet1:3 is mitigat"));
    EXPECT_THAT(agent.control({"explain", "leaf0:Ethernet1:3", "--device", "leaf0"}).out, HasSubstr("watching"));
    EXPECT_EQ(agent.control({"release", "leaf1:Ethernet1"}).exit_code, 0);
    EXPECT_THAT(refused({"explain", "Ethernet1:3"}), HasSubstr("name one of leaf0:Ethernet1:3, leaf1:Ethernet1:3"));
    EXPECT_THAT(refused({"explain", "Ethernet1:9"}), HasSubstr("the nearest are leaf0:Ethernet1:3, leaf1:Ethernet1:3"));
    EXPECT_THAT(refused({"explain", "leaf7:Ethernet1:3"}), HasSubstr("the nearest is 'leaf0:Ethernet1:3'"));
    EXPECT_THAT(refused({"explain", "leaf1:Ethernet1:9"}), HasSubstr("the nearest is 'leaf1:Ethernet1:3'"));
    EXPECT_THAT(refused({"explain", "leaf1:Ethernet1"}), HasSubstr("e.g. leaf1:Ethernet1:3"));
    EXPECT_THAT(refused({"mitigate", "leaf1"}), HasSubstr("'leaf1' is a device: name one of its queues, e.g. "
                                                          "leaf1:Ethernet0:3"));
    EXPECT_THAT(refused({"mitigate", "Ethernet77"}), HasSubstr("the nearest are leaf0:Ethernet0, leaf1:Ethernet0"));
    EXPECT_THAT(refused({"events", "--queue", "leaf1:Ethernet77"}), HasSubstr("the nearest is 'leaf1:Ethernet0'"));
    EXPECT_THAT(refused({"link", "show", "leaf1:Ethernt1"}), HasSubstr("the nearest is 'leaf1:Ethernet1'"));
    EXPECT_THAT(refused({"link", "clear", "Ethernet1", "--sequence", "1"}),
                HasSubstr("name one of leaf0:Ethernet1, leaf1:Ethernet1"));
    EXPECT_THAT(refused({"link", "clear", "leaf0:Ethernet1", "--sequence", "1"}),
                HasSubstr("leaf0:Ethernet1 has no event 1 to acknowledge: petrel link show leaf0:Ethernet1 --history"));
    EXPECT_EQ(agent.control({"mitigate", "leaf0:Ethernet0"}).exit_code, 0);
    EXPECT_EQ(agent.control({"explain", "leaf1:Ethernet0:3"}).exit_code, 0);
    EXPECT_EQ(agent.control({"events", "--queue", "leaf1:Ethernet0"}).exit_code, 0) << "without an event, but there";
    EXPECT_EQ(agent.control({"events", "--queue", "Ethernet0:4"}).exit_code, 0) << "several devices have it";
    EXPECT_EQ(agent.control({"link", "show", "leaf1:Ethernet1"}).exit_code, 0);
    EXPECT_EQ(agent.control({"link", "show", "leaf0:Ethernet1", "--history"}).exit_code, 0);
    EXPECT_EQ(agent.stop(), 0);
}

// The others are watched, so the agent starts. Without the status, an operator would believe that this one is, too.
TEST_F(ProcessOnTwin, APortThatNoDeviceHasIsAProblem)
{
    test::SimulatedTime time;
    const auto with_ports = [](std::string_view ports) {
        return fmt::format("[[device]]\ndriver = \"twin:{}/../scenarios/agent/calm.toml#leaf0\"\n[[policy]]\n"
                           "preset = \"sonic\"\nports = [{}]\n",
                           PETREL_TEST_DATA, ports);
    };
    test::SimulatedAgent agent{time, {.folder = folder.path(), .config = with_ports("\"Ethernet1\", \"Ethernet99\"")}};
    EXPECT_THAT(agent.wait_for("unknown_port"), HasSubstr("'Ethernet99': allowed a port of the device"));
    ASSERT_NE(agent.wait_for("agent_ready"), "") << agent.log_text();
    EXPECT_THAT(agent.control({"status"}).out,
                AllOf(HasSubstr("the configuration names ports that no device has"), HasSubstr("value 'Ethernet99'")));
    EXPECT_EQ(agent.control({"status", "--check"}).exit_code, 1);
    agent.write_config(with_ports("\"Ethernet1\""));
    EXPECT_EQ(agent.control({"reload"}).exit_code, 0);
    EXPECT_EQ(agent.control({"status", "--check"}).exit_code, 0);
    EXPECT_EQ(agent.stop(), 0);
}

TEST_F(ProcessOnTwin, ASecondAgentIsRefused)
{
    live();
    test::Invocation second;
    second.program = PETREL_BIN_DIR "/petrel";
    second.arguments = {"agent", "--config", process->file().string()};
    const auto ended = test::run(second);
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_NE(ended.err, "");
    EXPECT_NE(process->control({"status"}).out, "") << "the first goes on";
    EXPECT_EQ(process->stop(), 0);
}

TEST_F(ProcessOnTwin, WithoutAnAgentCommandsReportThatNoneRuns)
{
    live();
    EXPECT_EQ(process->stop(), 0);
    const auto ended = process->control({"status"});
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_THAT(ended.err, HasSubstr(process->socket().string()));
}

}  // namespace
}  // namespace petrel::daemon
