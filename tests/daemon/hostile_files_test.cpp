// Files of the agent that another user replaced, removed or shares. The state
// folder belongs to the service user here, and the agent and `petrel
// release-all` run as root. No file that the service user creates in the folder
// gives that user access to a file of root, stops the agent from watching, or
// blocks a start or a stop. The agents are simulated, except where a socket or
// the output of a program is tested.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/agent/agent_command.hpp"
#include "daemon/release.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/file_journal.hpp"
#include "storming_port.hpp"
#include "support/agent_process.hpp"
#include "support/shared_switch.hpp"
#include "support/simulated_agent.hpp"
#include "support/subprocess.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using test::AgentProcess;
using test::SharedSwitch;
using test::SimulatedAgent;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using watchdog::Treatment;

constexpr auto kAgentProgram = PETREL_BIN_DIR "/petrel-test-agent";
constexpr uid_t kServiceUser = 65534;

struct stat stat_of(const std::filesystem::path& path)
{
    struct stat found{};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
    return found;
}

std::string one_switch(const std::filesystem::path& path)
{
    return fmt::format("[[device]]\nname = \"sw\"\ndriver = \"shared:{}\"\n"
                       "[[policy]]\npreset = \"sonic\"\ndetect_ms = "
                       "100\nrestore_ms = 300\npoll_ms = 100\n",
                       path.string());
}

class HostileFiles : public testing::Test {
protected:
    std::unique_ptr<SimulatedAgent> live(std::vector<std::string> flags = {})
    {
        return std::make_unique<SimulatedAgent>(
            time, SimulatedAgent::Options{.folder = folder.path(), .config = config(), .arguments = std::move(flags)});
    }

    std::string config() const { return one_switch(folder / "switch"); }

    Released release_all() const
    {
        test::SharedSwitchDriver driver;
        const std::vector<Driver*> drivers{&driver};
        const auto config = cli::read_config({.config = (folder / "agent.toml").string(), .given = {}}, drivers);
        return release_from_journals(config.value(), drivers, "root").value();
    }

    void wait_for_drop()
    {
        ASSERT_TRUE(sw.wait_until([&] { return sw.in_force(kPort) == Treatment::drop; }));
    }

    // Waits until the agent has made this many further looks.
    void let_pass(std::uint64_t looks)
    {
        const auto enough = sw.looks() + looks;
        ASSERT_TRUE(sw.wait_until([&] { return sw.looks() >= enough; }));
    }

    // Afterwards a queue is mitigated, its agent is dead, and the state folder
    // belongs to the service user.
    void die_in_storm()
    {
        const auto life = live();
        ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
        sw.storm(kPort);
        wait_for_drop();
        let_pass(2);
        life->kill();
        give_away_state_folder();
    }

    void give_away_state_folder() const
    {
        ASSERT_EQ(::chown(state().c_str(), kServiceUser, kServiceUser), 0);
        for (const auto& entry : std::filesystem::directory_iterator{state()}) {
            ASSERT_EQ(::lchown(entry.path().c_str(), kServiceUser, kServiceUser), 0);
        }
    }

    // The service user replaces a file of the agent by a symbolic link, or by a
    // FIFO.
    void plant_link(const std::string& name, const std::filesystem::path& target) const
    {
        std::filesystem::remove(state() / name);
        std::filesystem::create_symlink(target, state() / name);
        ASSERT_EQ(::lchown((state() / name).c_str(), kServiceUser, kServiceUser), 0);
    }
    void plant_fifo(const std::string& name) const
    {
        std::filesystem::remove(state() / name);
        ASSERT_EQ(::mkfifo((state() / name).c_str(), 0600), 0);
        ASSERT_EQ(::lchown((state() / name).c_str(), kServiceUser, kServiceUser), 0);
    }

    // Writes a journal for a switch that has a port of this name.
    void forge_journal(const std::string& port) const
    {
        std::filesystem::remove(state() / "sw.journal");
        watchdog::Inventory inventory;
        inventory.ports.emplace_back().name = port;
        const auto journal = runtime::FileJournal::open_file(state() / "sw.journal", "sw", inventory).value();
        device::Active active;
        active.target = Target{{DeviceId{}, 0}, SharedSwitch::kPriority};
        active.treatment = Treatment::drop;
        ASSERT_TRUE(journal->open(active));
    }

    std::filesystem::path state() const { return folder / "state"; }

    test::TemporaryFolder folder;
    test::SimulatedTime time;
    SharedSwitch sw{folder / "switch", &time};
};

// ---- links to files of root

class LinkInPlaceOf : public HostileFiles, public testing::WithParamInterface<const char*> {};

TEST_P(LinkInPlaceOf, NeitherChangesNorCreatesFilesOfRoot)
{
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root has files to give away";
    }
    const std::string secret = "root's own\n";
    for (const bool by_agent : {false, true}) {
        SCOPED_TRACE(by_agent ? "agent" : "release-all");
        die_in_storm();
        const auto target = folder / "secret";
        const auto missing = folder / "missing";
        std::ofstream{target} << secret;
        ASSERT_EQ(::chmod(target.c_str(), 0600), 0);
        for (const auto& wanted : {target, missing}) {
            plant_link(GetParam(), wanted);
            if (by_agent) {
                const auto life = live();
                if (!life->wait_for("device_").empty()) {
                    life->kill();
                }
            } else {
                release_all();
            }
        }
        EXPECT_EQ(stat_of(target).st_uid, 0U);
        EXPECT_EQ(stat_of(target).st_mode & 07777U, 0600U);
        EXPECT_EQ(*runtime::read_whole_file(target), secret);
        EXPECT_FALSE(std::filesystem::exists(missing));
        sw.calm(kPort);
        std::filesystem::remove_all(state());
    }
}

INSTANTIATE_TEST_SUITE_P(Files, LinkInPlaceOf,
                         testing::Values("sw.state.lock", "sw.journal.lock", "sw.state", "sw.journal", "starts"));

TEST_F(HostileFiles, ALinkAsLockIsNamedInTheError)
{
    die_in_storm();
    plant_link("sw.state.lock", folder / "secret");
    const auto released = release_all();
    EXPECT_FALSE(released.all);
    EXPECT_THAT(released.report.lines, Contains(AllOf(HasSubstr("sw.state.lock"), HasSubstr("symbolic link"))));
}

// ---- FIFOs

TEST_F(HostileFiles, AFifoAsJournalDelaysNeitherStartNorStop)
{
    die_in_storm();
    plant_fifo("sw.journal");
    const auto released = release_all();
    EXPECT_FALSE(released.all);
    EXPECT_THAT(released.report.lines, Contains(AllOf(HasSubstr("sw.journal"), HasSubstr("FIFO"))));
    const auto life = live();
    EXPECT_THAT(life->wait_for("device_failing"), AllOf(HasSubstr("sw.journal"), HasSubstr("FIFO")));
    EXPECT_NE(life->stop(), 0) << "the queue is still treated";
}

TEST_F(HostileFiles, AFifoAsListOfStartsDelaysNothing)
{
    die_in_storm();
    plant_fifo("starts");
    const auto life = live();
    EXPECT_NE(life->wait_for("agent_ready"), "") << life->log_text();
    EXPECT_EQ(life->stop(), 0);
}

TEST_F(HostileFiles, AFifoAsConfigurationDoesNotStopTheWatch)
{
    const auto life = live();
    ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
    std::filesystem::remove(life->file());
    ASSERT_EQ(::mkfifo(life->file().c_str(), 0600), 0);
    const auto reload = life->control({"reload"});
    EXPECT_NE(reload.exit_code, 0);
    EXPECT_THAT(reload.err, AllOf(HasSubstr("agent.toml"), HasSubstr("FIFO"), HasSubstr("regular file")));
    sw.storm(kPort);
    wait_for_drop();
    EXPECT_EQ(life->stop(), 0);
}

// ---- two agents

TEST_F(HostileFiles, ARefusedSecondAgentDoesNotCountAsAStart)
{
    const auto first = live();
    ASSERT_NE(first->wait_for("agent_ready"), "") << first->log_text();
    const auto starts = *runtime::read_whole_file(state() / "starts");
    for (int i = 0; i < 5; ++i) {
        const auto second = live();
        EXPECT_EQ(second->wait_for("agent_started"), "");
        EXPECT_NE(second->wait(), 0);
        EXPECT_THAT(second->log_text(), HasSubstr(fmt::format("process {}", ::getpid())));
    }
    EXPECT_EQ(*runtime::read_whole_file(state() / "starts"), starts);
    first->kill();
    const auto next = live();
    EXPECT_NE(next->wait_for("agent_ready"), "");
    EXPECT_THAT(next->log_text(), Not(HasSubstr("device_waits")));
}

TEST_F(HostileFiles, TwoAgentsDoNotShareTheirTables)
{
    const auto first = live({"--nos", "own"});
    ASSERT_NE(first->wait_for("agent_ready"), "") << first->log_text();
    // Another device, another socket, the same folder.
    const test::TemporaryFolder other;
    SimulatedAgent second{time,
                          {.folder = other.path(),
                           .config = fmt::format("[[device]]\ndriver = \"shared:{}\"\n", (other / "switch").string()),
                           .arguments = {"--nos", "own", "--state-dir", state().string()}}};
    EXPECT_NE(second.wait(), 0);
    EXPECT_THAT(second.log_text(), AllOf(HasSubstr("tables.json"), HasSubstr(fmt::format("process {}", ::getpid()))));
    EXPECT_EQ(first->stop(), 0);
}

// ---- removed under a running agent

TEST_F(HostileFiles, RemovedFilesAreWrittenAgain)
{
    const auto life = live();
    EXPECT_THAT(life->metrics(), HasSubstr("\npetrel_files_lost_total 0\n"));
    ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
    sw.storm(kPort);
    wait_for_drop();
    ASSERT_NE(life->wait_for("storm_detected"), "") << life->log_text();
    for (const auto* name : {"sw.state", "sw.journal", "sw.state.lock", "sw.journal.lock"}) {
        std::filesystem::remove(state() / name);
        EXPECT_THAT(life->wait_for("file_lost"),
                    AllOf(HasSubstr(std::string_view{name}.substr(0, 6)), HasSubstr("created it again")))
            << name << '\n'
            << life->log_text();
        EXPECT_TRUE(std::filesystem::is_regular_file(state() / name)) << name;
    }
    EXPECT_THAT(life->control({"status"}).out, HasSubstr("another process removed or replaced files"));
    EXPECT_THAT(life->metrics(), HasSubstr("\npetrel_files_lost_total 4\n"));
    const auto second = live();
    EXPECT_NE(second->wait(), 0) << "the lock holds again";
    life->kill();
    const auto next = live();
    EXPECT_NE(next->wait_for("agent_ready"), "") << next->log_text();
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop) << "the files that were created again are complete";
    sw.calm(kPort);
    EXPECT_NE(next->wait_for("storm_restored"), "") << next->log_text();
    EXPECT_EQ(next->stop(), 0);
}

TEST_F(HostileFiles, ARemovedFolderIsCreatedAgain)
{
    const auto life = live();
    ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
    sw.storm(kPort);
    wait_for_drop();
    ASSERT_NE(life->wait_for("storm_detected"), "") << life->log_text();
    std::filesystem::remove_all(state());
    EXPECT_NE(life->wait_for("created it again"), "") << life->log_text();
    EXPECT_NE(life->wait_for("created it again"), "") << life->log_text();
    life->kill();
    const auto next = live();
    EXPECT_NE(next->wait_for("agent_ready"), "") << next->log_text();
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
    EXPECT_EQ(next->stop(), 0);
}

// This test needs a control socket, so its agent is a real process.
TEST(HostileSockets, ARemovedControlSocketIsCreatedAgain)
{
    const test::TemporaryFolder folder;
    const auto life = std::make_unique<AgentProcess>(AgentProcess::Options{
        .folder = folder.path(), .config = one_switch(folder / "switch"), .program = kAgentProgram});
    ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
    std::filesystem::remove(life->socket());
    EXPECT_THAT(life->wait_for("file_lost"), HasSubstr("control.sock")) << life->log_text();
    EXPECT_EQ(stat_of(life->socket()).st_mode & 07777U, 0660U);
    EXPECT_THAT(life->control({"status"}).out, HasSubstr("control.sock"));
    EXPECT_EQ(life->stop(), 0);
    EXPECT_FALSE(std::filesystem::exists(life->socket()));
}

// ---- stale drafts

TEST_F(HostileFiles, TemporaryFilesOfDeadProcessesAreRemoved)
{
    die_in_storm();
    const std::vector<std::string> stale{"sw.state.4711.tmp", "sw.journal.4711.tmp", "starts.4711.tmp"};
    const std::vector<std::string> others{"sw.state.x.tmp", "sw.state.4711", "notes.4711.tmp", "sw.state.47 11.tmp"};
    for (const auto& name : stale) {
        std::ofstream{state() / name} << "x";
    }
    for (const auto& name : others) {
        std::ofstream{state() / name} << "x";
    }
    std::filesystem::create_directory(state() / "sw.state.4712.tmp");
    const auto life = live();
    ASSERT_NE(life->wait_for("agent_ready"), "") << life->log_text();
    for (const auto& name : stale) {
        EXPECT_FALSE(std::filesystem::exists(state() / name)) << name;
    }
    for (const auto& name : others) {
        EXPECT_TRUE(std::filesystem::exists(state() / name)) << name;
    }
    EXPECT_TRUE(std::filesystem::exists(state() / "sw.state.4712.tmp")) << "a folder is not ours";
    EXPECT_EQ(life->stop(), 0);
}

// ---- a stop without a journal

TEST_F(HostileFiles, AStopThatCannotReadTheJournalFailsAndNamesTheQueues)
{
    die_in_storm();
    auto text = *runtime::read_whole_file(state() / "sw.journal");
    text[12] = static_cast<char>(text[12] ^ 4);
    std::ofstream{state() / "sw.journal"} << text;
    const auto life = live();
    ASSERT_NE(life->wait_for("device_failing"), "") << life->log_text();
    life->signal(SIGTERM);
    EXPECT_THAT(life->wait_for("stop_incomplete"),
                AllOf(HasSubstr("sw.journal cannot be read"), HasSubstr("still treated: Ethernet1:3")));
    EXPECT_EQ(life->wait(), 3);
    EXPECT_THAT(life->log_text(), Not(HasSubstr("agent_stopped")));
    EXPECT_EQ(sw.in_force(kPort), Treatment::drop);
}

TEST_F(HostileFiles, NamesInTheJournalDoNotReachTheTerminalRaw)
{
    die_in_storm();
    forge_journal("\x1b]0;t\x07\nsw: nothing is in force");
    const auto released = test::run(
        {.program = kAgentProgram, .arguments = {"release-all", "--config", (folder / "agent.toml").string()}});
    EXPECT_THAT(released.out, AllOf(HasSubstr("\\x1b]0;t\\x07\\x0asw: nothing is in force of "
                                              "the journal is at a port"),
                                    Not(HasSubstr("\x1b"))));
    EXPECT_NE(released.exit_code, 0);
}

}  // namespace
}  // namespace petrel::daemon
