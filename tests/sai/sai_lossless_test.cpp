// Which priorities of a port are lossless, by the PFC masks of a library, and what `pfcwd` makes of that where the
// agent keeps the tables itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "sai/bench.hpp"
#include "support/agent_process.hpp"
#include "support/temporary_folder.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using watchdog::Treatment;

class SaiLossless : public testing::Test {
protected:
    // `masks`: lines "port NUMBER MASK SENT_MASK", as the hardware has them.
    void open(const std::string& masks, const std::string& faults = {})
    {
        std::ofstream{folder / "hardware"} << masks;
        ASSERT_TRUE(bench.open(faults, {{"bad.kept", (folder / "hardware").string()}}));
    }
    std::vector<unsigned> lossless(std::uint16_t port) const
    {
        std::vector<unsigned> priorities;
        for (const auto& row : bench.device->inventory().rows) {
            if (row.target.port.index == port && row.lossless) {
                priorities.push_back(row.target.priority->value);
            }
        }
        return priorities;
    }

    TemporaryFolder folder;
    SaiBench bench;
};

TEST_F(SaiLossless, PrioritiesAreThoseOfTheMask)
{
    open("port 0 8 0\nport 1 0 24\n");
    EXPECT_THAT(lossless(0), ElementsAre(3));
    EXPECT_THAT(lossless(1), IsEmpty());
    EXPECT_THAT(bench.device->inventory().rows, SizeIs(16));
}

TEST_F(SaiLossless, OnlyPrioritiesWithPfcAreWatched)
{
    open("port 0 8 0\nport 1 0 24\n");
    watchdog::PolicyBook book;
    book.policies.push_back(watchdog::find_preset("rdma-switch")->policy);
    book.policies[0].host_facing_only = false;
    book.assigned = {{}};
    const auto list = watchdog::compile(book, bench.device->inventory(), bench.device->capabilities());
    ASSERT_TRUE(list);
    std::vector<std::string> watched;
    for (std::size_t row = 0; row != list->rows.size(); ++row) {
        if (list->rows[row].policy != watchdog::kUnwatched) {
            watched.push_back(to_string(list->inventory, list->inventory.rows[row].target));
        }
    }
    EXPECT_THAT(watched, ElementsAre("port0:3"));
}

TEST_F(SaiLossless, AQueueWithoutPfcIsNotTreated)
{
    open("port 0 8 0\n");
    watchdog::Command command;
    command.target = sai_queue(0, 4);
    command.want = Treatment::drop;
    const auto undo = bench.device->prepare(command);
    ASSERT_FALSE(undo);
    EXPECT_EQ(undo.error().kind, ErrorKind::unsupported);
    EXPECT_THAT(undo.error().what, HasSubstr("PFC is off for priority 4"));
    command.target = sai_queue(0, 3);
    EXPECT_TRUE(bench.device->prepare(command));
    command.target = sai_queue(0, 4);
    command.want = Treatment::none;
    EXPECT_TRUE(bench.device->prepare(command)) << "an earlier process may have treated it";
}

TEST_F(SaiLossless, AMaskThatOtherSoftwareChangesIsFollowed)
{
    open("port 0 8 0\n");
    const auto generation = bench.device->inventory().generation;
    const auto read = [&] {
        watchdog::Intake intake{bench.device->inventory(), bench.device->capabilities()};
        ASSERT_TRUE(bench.device->read_links());
        ASSERT_TRUE(bench.device->look({}, intake));
    };
    read();
    EXPECT_EQ(bench.device->inventory().generation, generation);
    bench.port(0).pfc = 16;
    read();
    EXPECT_NE(bench.device->inventory().generation, generation);
    EXPECT_THAT(lossless(0), ElementsAre(4));
    EXPECT_EQ(bench.device->read_back(sai_queue(0, 3)), Treatment::none) << "other software switched PFC off";
}

TEST_F(SaiLossless, AQueueThatThisProcessMasksOutStaysLossless)
{
    open("", "no_recovery");
    watchdog::Command command;
    command.target = sai_queue(0, 3);
    command.want = Treatment::ignore_pause;
    const auto undo = bench.device->prepare(command);
    ASSERT_TRUE(undo && bench.device->apply(command, *undo));
    ASSERT_EQ(bench.port(0).pfc, 16);
    ASSERT_TRUE(bench.device->read_links());
    watchdog::Intake intake{bench.device->inventory(), bench.device->capabilities()};
    ASSERT_TRUE(bench.device->look({}, intake));
    EXPECT_THAT(lossless(0), ElementsAre(3, 4));
    EXPECT_EQ(bench.device->read_back(command.target), Treatment::ignore_pause);
}

TEST_F(SaiLossless, OfSeparateMasksThePauseIsHonouredAndSent)
{
    open("port 0 255 24\nport 1 16 0\n", "separate");
    EXPECT_THAT(lossless(0), ElementsAre(3, 4)) << "asymmetric PFC";
    EXPECT_THAT(lossless(1), ElementsAre(4)) << "it sends no pause, and its queues can be paused";
}

TEST_F(SaiLossless, ATreatedPortHasThoseOfBefore)
{
    open("");
    watchdog::Command command;
    command.target = {{kSaiId, 0}, std::nullopt};
    command.want = Treatment::lossless_off;
    const auto undo = bench.device->prepare(command);
    ASSERT_TRUE(undo && bench.device->apply(command, *undo));
    ASSERT_EQ(bench.port(0).pfc, 0);
    ASSERT_TRUE(bench.open("")) << "the next process";
    EXPECT_THAT(lossless(0), ElementsAre(3, 4));
}

// Both hosts of a switch of the twin pause it without end.
constexpr auto kBothHostsPause = R"(name = "two storms"
duration = "60s"
[topology]
kind = "single-switch"
hosts = 2
host_links = { speed = "1G", cable_m = 3 }
[[fault]]
at = "200ms"
kind = "storm"
host = "h0..h1"
quanta = 2000
period = "1ms"
)";

class OwnStartDefault : public testing::Test {
protected:
    void live(const std::string& roles)
    {
        std::ofstream{folder / "fabric.toml"} << kBothHostsPause;
        std::ofstream{folder / "sai.profile"} << "petrel.scenario=" << (folder / "fabric.toml").string() << '\n';
        agent = std::make_unique<AgentProcess>(AgentProcess::Options{
            .folder = folder.path(),
            .config = roles +
                      "[[device]]\nname = \"tor\"\ndriver = \"sai:" PETREL_BIN_DIR "/../lib/libsai-petrel.so,profile=" +
                      (folder / "sai.profile").string() + "\"\n",
            .arguments = {"--nos", "own"}});
        ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
    }
    Ended tool(const std::string& name, std::vector<std::string> arguments) const
    {
        arguments.insert(arguments.end(), {"--socket", agent->socket().string()});
        return run({.program = PETREL_BIN_DIR "/" + name, .arguments = std::move(arguments)});
    }

    TemporaryFolder folder;
    std::unique_ptr<AgentProcess> agent;
};

TEST_F(OwnStartDefault, WatchesTheLosslessQueuesOfServerFacingPorts)
{
    live("[[port]]\nname = \"port1\"\nrole = \"host\"\n");
    EXPECT_THAT(tool("pfc", {"show", "priority"}).out,
                AllOf(ContainsRegex("port0 +3,4\n"), ContainsRegex("port1 +3,4\n")));
    EXPECT_THAT(agent->control({"queues"}).out, HasSubstr("server-facing ports of tor: port1\n"));
    const auto started = tool("pfcwd", {"start_default"});
    EXPECT_EQ(started.exit_code, 0) << started.err;
    EXPECT_THAT(tool("pfcwd", {"show", "config"}).out,
                AllOf(ContainsRegex("port1 +drop +200 +200"), Not(HasSubstr("port0")),
                      HasSubstr("Changed polling interval to 200ms")));
    EXPECT_THAT(agent->wait_for("storm_detected"), HasSubstr("port1:3"));
    while (!testing::Value(agent->control({"queues"}).out, ContainsRegex("port1:3 .* drop +drop +drop "))) {
    }
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    EXPECT_THAT(agent->log_text(), Not(HasSubstr("port0:3")));
}

// The agent does not program the mask: a command that needs another mask fails and changes nothing.
TEST_F(OwnStartDefault, PfcConfigPriorityFailsIfTheSwitchHasAnotherMask)
{
    live("");
    const auto shown = tool("pfc", {"show", "priority"}).out;
    for (const auto& [status, priority, is] : {std::tuple{"off", "3", "on"}, {"on", "5", "off"}}) {
        const auto refused = tool("pfc", {"config", "priority", status, "port1", priority});
        EXPECT_EQ(refused.exit_code, 1);
        EXPECT_THAT(refused.err, HasSubstr(std::string{"PFC of priority "} + priority + " is " + is + " on port1"));
    }
    EXPECT_EQ(tool("pfc", {"show", "priority"}).out, shown);
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

TEST_F(OwnStartDefault, FailsIfNoPortIsKnownToFaceAServer)
{
    live("");
    const auto started = tool("pfcwd", {"start_default"});
    EXPECT_EQ(started.exit_code, 1);
    EXPECT_THAT(started.err, AllOf(HasSubstr("nothing was started: no port is known to face a server"),
                                   HasSubstr("role = \"host\"")));
    EXPECT_THAT(tool("pfcwd", {"show", "config"}).out, Not(HasSubstr("port")));
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

}  // namespace
}  // namespace petrel::test
