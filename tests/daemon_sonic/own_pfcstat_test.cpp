// pfcstat without SONiC: a NIC sends frames to a switch of the twin, the switch counts them behind our libsai, a real
// agent reads the counters, and pfcstat requests them over its control socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "support/agent_process.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {
namespace {

using testing::ContainsRegex;

constexpr auto kFabric = R"(name = "a storm"
duration = "60s"
[topology]
kind = "single-switch"
hosts = 2
host_links = { speed = "1G", cable_m = 3 }
[[fault]]
at = "200ms"
until = "700ms"
kind = "storm"
host = "h1"
quanta = 2000
period = "1ms"
)";

class OwnPfcstat : public testing::Test {
protected:
    OwnPfcstat()
    {
        std::ofstream{folder / "fabric.toml"} << kFabric;
        std::ofstream{folder / "port_config.ini"} << "# name lanes\nEthernet0 1,2,3,4\nEthernet4 5,6,7,8\n";
        std::ofstream{folder / "sai.profile"} << "petrel.scenario=" << (folder / "fabric.toml").string()
                                              << "\npetrel.port_names=" << (folder / "port_config.ini").string()
                                              << '\n';
    }

    std::unique_ptr<AgentProcess> live() const
    {
        return std::make_unique<AgentProcess>(AgentProcess::Options{
            .folder = folder.path(),
            .config = "[[device]]\nname = \"tor\"\ndriver = \"sai:" PETREL_BIN_DIR "/../lib/libsai-petrel.so,profile=" +
                      (folder / "sai.profile").string() + "\"\n",
            .arguments = {"--nos", "own"}});
    }

    std::string shown(std::vector<std::string> arguments = {}) const
    {
        arguments.insert(arguments.end(), {"--socket", (folder / "control.sock").string()});
        const auto ended = run({.program = PETREL_BIN_DIR "/pfcstat",
                                .arguments = std::move(arguments),
                                .environment = {{"XDG_CACHE_HOME", (folder / "cache").string()}}});
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    }

    TemporaryFolder folder;
};

// The agent counts although no queue is watched.
TEST_F(OwnPfcstat, FramesAndPausesOfAStormAreCounted)
{
    const auto agent = live();
    ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
    std::string text;
    do {
        text = shown();
    } while (!testing::Value(text, ContainsRegex("Ethernet4 +0 +0 +0 +[1-9][0-9]* ")));
    EXPECT_THAT(text, ContainsRegex("Port Tx +PFC0"));
    EXPECT_THAT(text, ContainsRegex("Ethernet0 +0 +0 +0 +0 +0 +0 +0 +0"));
    do {
        text = shown({"--history"});
    } while (!testing::Value(text, ContainsRegex("Ethernet4 +PFC3 +[0-9]+ +[1-9][0-9,]* ")));
    EXPECT_THAT(text, ContainsRegex("Ethernet0 +PFC3 +0 +0 "));
}

TEST_F(OwnPfcstat, PortsNeedNotHaveSonicsNames)
{
    std::ofstream{folder / "sai.profile"} << "petrel.scenario=" << (folder / "fabric.toml").string() << '\n';
    const auto agent = live();
    ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
    const auto pfcwd = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--socket", (folder / "control.sock").string()});
        return run({.program = PETREL_BIN_DIR "/pfcwd", .arguments = std::move(arguments)});
    };
    EXPECT_EQ(pfcwd({"start", "--action", "drop", "all", "400", "--restoration-time", "2000"}).exit_code, 0);
    EXPECT_THAT(pfcwd({"show", "config"}).out, ContainsRegex("port1 +drop +400 +2000"));
}

}  // namespace
}  // namespace petrel::test
