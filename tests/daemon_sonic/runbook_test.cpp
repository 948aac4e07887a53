// Runs the commands of the runbook in docs/sonic.md exactly as written, so that the test fails if the page and the
// commands differ. On a switch that the agent owns, with SONiC's databases and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/agent_process.hpp"
#include "support/redis_wait.hpp"
#include "support/shared_switch.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::SharedSwitch;
using testing::HasSubstr;
using watchdog::Treatment;

// The commands after the prompts of a chapter. `sudo` is removed: the test runs them as its own user.
std::vector<std::string> commands_of(const std::string& chapter)
{
    std::ifstream page{std::filesystem::path{PETREL_TEST_DATA}.parent_path() / "docs/sonic.md"};
    std::vector<std::string> commands;
    bool there = false;
    for (std::string line; std::getline(page, line);) {
        there = line.starts_with("## ") ? line == "## " + chapter : there;
        for (const std::string prompt : {"    $ sudo ", "    $ "}) {
            if (there && line.starts_with(prompt)) {
                commands.push_back(line.substr(prompt.size()));
                break;
            }
        }
    }
    return commands;
}

class Runbook : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        redis = std::make_unique<test::RedisServer>();
        for (int port = 0; port != SharedSwitch::kPorts; ++port) {
            const auto name = "Ethernet" + std::to_string(port);
            test::write_hash(*redis, 4, "PORT|" + name, {{"speed", "100000"}});
            test::write_hash(*redis, 4, "PORT_QOS_MAP|" + name, {{"pfc_enable", "3"}, {"pfcwd_sw_enable", "3"}});
        }
        test::run_command(*redis, 4, {"SET", "CONFIG_DB_INITIALIZED", "1"});
        agent = std::make_unique<test::AgentProcess>(test::AgentProcess::Options{
            .folder = folder.path(),
            .config = "[[device]]\nname = \"sw\"\ndriver = \"shared:" + (folder / "switch").string() + "\"\n",
            .program = PETREL_BIN_DIR "/petrel-test-agent",
            .arguments = {"--nos", GetParam(), "--redis", to_text(redis->address())}});
        agent->wait_for("agent_ready");
        if (GetParam() == "sonic") {
            test::wait_for_hash(*redis, 2, "COUNTERS_PORT_NAME_MAP",
                                [](const test::Fields& ports) { return ports.size() == SharedSwitch::kPorts; });
        }
    }

    std::string run(const std::string& command) const
    {
        std::vector<std::pair<std::string, std::string>> environment{
            {"PATH", std::string{PETREL_BIN_DIR ":/usr/bin:/bin"}},
            {"PETREL_CONTROL_SOCKET", agent->socket().string()}};
        if (GetParam() == "sonic") {
            environment.emplace_back("PETREL_REDIS", to_text(redis->address()));
        }
        const auto ended =
            test::run({.program = "/bin/sh", .arguments = {"-c", command}, .environment = std::move(environment)});
        EXPECT_EQ(ended.exit_code, 0) << command << '\n' << ended.out << ended.err;
        EXPECT_EQ(ended.err, "") << command;
        return ended.out;
    }

    void wait_for(Treatment treatment)
    {
        ASSERT_TRUE(sw.wait_until([&] { return sw.in_force(0) == treatment; }));
    }

    test::TemporaryFolder folder;
    SharedSwitch sw{folder / "switch"};
    std::unique_ptr<test::RedisServer> redis;
    std::unique_ptr<test::AgentProcess> agent;
};

TEST_P(Runbook, ItsCommandsWork)
{
    const auto day = commands_of("A day in the life");
    ASSERT_EQ(day.size(), 9U);
    ASSERT_THAT(day.front(), HasSubstr("pfcwd start"));
    run(day.front());
    sw.storm(0);
    wait_for(Treatment::drop);
    const auto is_told = [&] { return run("pfcwd show stats").find("stormed") != std::string::npos; };
    ASSERT_TRUE(sw.wait_until(is_told)) << "the tables are written after the deed";
    for (const auto& command : day) {
        if (command.starts_with("pfcwd start")) {
            continue;
        }
        const auto out = run(command);
        if (command.starts_with("pfcwd show config")) {
            EXPECT_THAT(out, HasSubstr("2000"));
        } else if (command.starts_with("petrel status")) {
            EXPECT_THAT(out, HasSubstr("4 queues watched"));
        } else if (command.starts_with("petrel explain") || command.starts_with("pfcwd show")) {
            EXPECT_THAT(out, HasSubstr("Ethernet0:3")) << command;
        } else if (command.starts_with("pfcwd release")) {
            wait_for(Treatment::none);
            wait_for(Treatment::drop);  // the storm continues, and the agent detects it again
        }
    }
    ASSERT_THAT(day.back(), HasSubstr("pfcwd stop"));
    wait_for(Treatment::none);
}

INSTANTIATE_TEST_SUITE_P(Tables, Runbook, testing::Values("sonic", "own"),
                         [](const auto& where) { return where.param; });

}  // namespace
}  // namespace petrel::daemon
