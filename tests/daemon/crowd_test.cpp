// A real agent during a storm, with many clients at its control socket: orders of root are carried out, and reload
// requests that wait at the same time share one reload.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "codec/control_json.hpp"
#include "runtime/control_server.hpp"
#include "storming_port.hpp"
#include "support/agent_process.hpp"
#include "support/loop_thread.hpp"
#include "support/shared_switch.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using test::Client;
using testing::HasSubstr;
using watchdog::Treatment;

class Crowd : public testing::Test {
protected:
    void SetUp() override
    {
        std::filesystem::permissions(folder.path(), std::filesystem::perms{0711});
        agent = std::make_unique<AgentProcess>(AgentProcess::Options{
            .folder = folder.path(),
            .config = fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n"
                                  "[[policy]]\npreset = \"sonic\"\ndetect_ms = 100\nrestore_ms = 300\npoll_ms = 100\n",
                                  (folder / "switch").string()),
            .program = PETREL_BIN_DIR "/petrel-test-agent"});
        ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
        std::filesystem::permissions(agent->socket(), std::filesystem::perms{0666});
    }

    Client other_asks(std::string_view line) const
    {
        std::optional<Client> client;
        {
            const test::OtherUser user;
            client.emplace(agent->socket());
        }
        client->send(line);
        return std::move(*client);
    }

    test::TemporaryFolder folder;
    test::SharedSwitch sw{folder / "switch"};
    std::unique_ptr<AgentProcess> agent;
};

TEST_F(Crowd, ManyFollowersDoNotBlockOrders)
{
    std::vector<Client> followers;
    for (int i = 0; i != 64; ++i) {
        followers.push_back(other_asks("{\"command\":\"events\",\"follow\":true}\n"));
    }
    std::vector<Client> idle;
    for (int i = 0; i != 100; ++i) {
        idle.push_back(other_asks("{\"command\":"));
    }
    EXPECT_EQ(agent->control({"status"}).exit_code, 0);
    sw.storm(kPort);
    EXPECT_TRUE(sw.wait_until([&] { return sw.in_force(kPort) == Treatment::drop; }));
    EXPECT_THAT(followers.front().line().value(), HasSubstr("storm_detected"));
    EXPECT_THAT(followers.back().line().value(), HasSubstr("too many clients follow events"));
    sw.calm(kPort);
    const auto released = agent->control({"release-all"});
    EXPECT_EQ(released.exit_code, 0) << released.err;
    EXPECT_TRUE(sw.wait_until([&] { return sw.in_force(kPort) == Treatment::none; }));
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

// Each connection requests all queues and does not read the answer, so that the backlog of the socket is always full.
TEST_F(Crowd, ManyConnectionsDoNotBlockRoot)
{
    if (::getuid() != 0) {
        GTEST_SKIP() << "only root can act as another user";
    }
    std::atomic<bool> over{false};
    std::atomic<int> connected{0};
    std::thread crowd{[&] {
        const test::OtherUser user;
        while (!over) {
            Client client{agent->socket()};
            connected += client.connected() ? 1 : 0;
            client.send("{\"command\":\"queues\"}\n");
        }
    }};
    while (connected < 1000) {
        std::this_thread::yield();
    }
    sw.storm(kPort);
    EXPECT_TRUE(sw.wait_until([&] { return sw.in_force(kPort) == Treatment::drop; }));
    sw.calm(kPort);
    EXPECT_EQ(agent->control({"status"}).exit_code, 0);
    const auto released = agent->control({"release-all"});
    EXPECT_EQ(released.exit_code, 0) << released.err;
    over = true;
    crowd.join();
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

TEST_F(Crowd, RootsSocketIsClosedToOthers)
{
    const auto socket = runtime::root_socket(agent->socket());
    struct stat found{};
    ASSERT_EQ(::stat(socket.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    EXPECT_FALSE(std::filesystem::exists(socket));
}

TEST(MetricsOpenToAll, IsWarnedAboutInTheLogAndByConfigCheck)
{
    const test::TemporaryFolder folder;
    const auto config =
        fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n[[policy]]\npreset = \"sonic\"\n",
                    (folder / "switch").string());
    AgentProcess agent{{.folder = folder.path(),
                        .config = config,
                        .program = PETREL_BIN_DIR "/petrel-test-agent",
                        .arguments = {"--metrics-listen", "0.0.0.0:0"}}};
    EXPECT_THAT(agent.wait_for("metrics_open_to_all"), HasSubstr("every host that reaches this machine can read"));
    EXPECT_EQ(agent.stop(), 0) << agent.log_text();

    constexpr auto* kWatched = "[[device]]\ndriver = \"sai:/usr/lib/libsai.so\"\n[[policy]]\npreset = \"sonic\"\n";
    std::ofstream{folder / "open.toml"} << "[metrics]\nlisten = \"[::]:9464\"\n" << kWatched;
    std::ofstream{folder / "local.toml"} << "[metrics]\nlisten = \"127.0.0.1:9464\"\n" << kWatched;
    const auto open = test::run(
        {.program = PETREL_BIN_DIR "/petrel", .arguments = {"config", "check", (folder / "open.toml").string()}});
    EXPECT_EQ(open.exit_code, 0) << open.err;
    EXPECT_THAT(open.out, HasSubstr("open.toml: warning: metrics.listen = \"[::]:9464\": every host"));
    const auto local = test::run(
        {.program = PETREL_BIN_DIR "/petrel", .arguments = {"config", "check", (folder / "local.toml").string()}});
    EXPECT_EQ(local.exit_code, 0) << local.err;
    EXPECT_THAT(local.out, testing::Not(HasSubstr("warning")));
}

TEST_F(Crowd, SimultaneousReloadsAreShared)
{
    constexpr std::size_t kClients = 40;
    std::vector<Client> clients;
    for (std::size_t i = 0; i != kClients; ++i) {
        clients.push_back(other_asks("{\"command\":\"reload\"}\n"));
    }
    std::uint64_t reloads = 0;
    for (auto& client : clients) {
        const auto report = codec::read_reload(client.line().value());
        ASSERT_TRUE(report) << report.error().what;
        EXPECT_EQ(report->bad, 0U);
        EXPECT_GE(report->good, 1U);
        reloads = std::max(reloads, report->good);
    }
    EXPECT_LT(reloads, kClients / 2);
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

TEST_F(Crowd, AReloadReadsTheFileAtTheTimeOfTheRequest)
{
    for (const auto* action : {"alert", "drop", "alert", "drop"}) {
        auto before = other_asks("{\"command\":\"reload\"}\n");
        agent->write_config(fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n"
                                        "[[policy]]\npreset = \"sonic\"\naction = \"{}\"\n",
                                        (folder / "switch").string(), action));
        EXPECT_EQ(agent->control({"reload"}).exit_code, 0);
        EXPECT_THAT(agent->control({"queues", "--json"}).out, HasSubstr(fmt::format("\"configured\":\"{}\"", action)));
    }
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

}  // namespace
}  // namespace petrel::daemon
