// Buffer profiles through a library: which ones the device shows, and a changed alpha that is read back. The library
// that the test reads is the one that the device has written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "sai/bench.hpp"
#include "support/agent_process.hpp"
#include "support/golden.hpp"
#include "support/simulated_runner.hpp"
#include "support/temporary_folder.hpp"
#include "support/world.hpp"

namespace petrel::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using watchdog::Treatment;

constexpr sai::ObjectId kProfileOfAll = 0x4000;  // of all groups of the bad library

class SaiBuffers : public testing::Test {
protected:
    void open(const std::string& faults = {}) { ASSERT_TRUE(bench.open(faults)); }

    std::string refused(const std::string& profile, int exponent)
    {
        const auto set = bench.device->set_dynamic_threshold(profile, exponent);
        EXPECT_FALSE(set);
        return set ? "" : set.error().what;
    }

    BadProfile& profile() const { return bench.model->profiles.at(kProfileOfAll); }

    SaiBench bench;
};

TEST_F(SaiBuffers, ShowsTheProfilesOfGroupsWithTheirPools)
{
    open();
    const auto shown = bench.device->buffers();
    ASSERT_THAT(shown.profiles, SizeIs(1));
    EXPECT_EQ(shown.profiles[0], (device::BufferProfile{.name = "profile0", .pool = "pool0", .dynamic_th = 1}));
    ASSERT_THAT(shown.pools, SizeIs(1));
    EXPECT_EQ(shown.pools[0].name, "pool0");
    EXPECT_EQ(shown.pools[0].size, 1'000'000U);
    EXPECT_TRUE(shown.pools[0].ingress);
}

TEST_F(SaiBuffers, SetsAlpha)
{
    open();
    EXPECT_TRUE(bench.device->set_dynamic_threshold("profile0", -3));
    EXPECT_EQ(profile().share, -3);
    EXPECT_EQ(bench.device->buffers().profiles[0].dynamic_th, -3);
}

TEST_F(SaiBuffers, AnAlphaThatTheLibraryRefusesIsAnError)
{
    open("fixed_profiles");
    EXPECT_EQ(refused("profile0", -3), "set SHARED_DYNAMIC_TH of a buffer profile: NOT_SUPPORTED (-2)");
}

TEST_F(SaiBuffers, AnAlphaWithoutEffectIsAnError)
{
    open("forgets_alpha");
    EXPECT_EQ(refused("profile0", -3), "the library accepts SHARED_DYNAMIC_TH -3 for profile0 and then shows 1");
}

TEST_F(SaiBuffers, AStaticThresholdHasNoAlpha)
{
    open();
    profile().mode = static_cast<std::int32_t>(sai::ThresholdMode::static_);
    EXPECT_EQ(bench.device->buffers().profiles[0].dynamic_th, std::nullopt);
    EXPECT_EQ(refused("profile0", -3), "profile0 has no dynamic threshold");
    EXPECT_EQ(profile().share, 1);
}

TEST_F(SaiBuffers, AnUnknownNameIsAnErrorThatNamesTheOthers)
{
    open();
    EXPECT_THAT(refused("profile1", -3), AllOf(HasSubstr("'profile1'"), HasSubstr("profile0")));
    EXPECT_EQ(profile().share, 1);
}

// A queue in `drop` has a profile of ours. The one that it had before keeps its name and can be changed.
TEST_F(SaiBuffers, TheProfilesOfDropAreNotShown)
{
    open();
    bench.model->profiles[0x4001] = profile();
    bench.port(0).groups[3].profile = 0x4001;
    EXPECT_THAT(bench.device->buffers().profiles, SizeIs(2));
    watchdog::Command command;
    command.target = kQueue;
    command.want = Treatment::drop;
    const auto undo = bench.device->prepare(command);
    ASSERT_TRUE(undo && bench.device->apply(command, *undo));
    ASSERT_NE(bench.port(0).groups[3].profile, sai::ObjectId{0x4001});
    EXPECT_THAT(bench.device->buffers().profiles, SizeIs(2));
    EXPECT_TRUE(bench.device->set_dynamic_threshold("profile1", 2));
    EXPECT_EQ(bench.model->profiles.at(0x4001).share, 2);
}

// The second port has a profile of its own.
class SaiBuffersOfPorts : public SaiBuffers {
protected:
    void SetUp() override
    {
        open();
        bench.model->profiles[0x4001] = profile();
        for (auto& group : bench.port(1).groups) {
            group.profile = 0x4001;
        }
    }
    std::vector<std::string> names_after_a_look()
    {
        watchdog::Intake intake{bench.device->inventory(), bench.device->capabilities()};
        intake.begin();
        EXPECT_TRUE(bench.device->look({}, intake));
        std::vector<std::string> names;
        std::ranges::transform(bench.device->buffers().profiles, std::back_inserter(names),
                               &device::BufferProfile::name);
        return names;
    }
};

TEST_F(SaiBuffersOfPorts, AProfileKeepsItsNameWhenPortsComeAndGo)
{
    EXPECT_THAT(names_after_a_look(), ElementsAre("profile0", "profile1"));
    for (std::size_t port = 0; port != bench.model->ports.size(); ++port) {
        bench.port(port).listed = port == 1;
    }
    EXPECT_THAT(names_after_a_look(), ElementsAre("profile0", "profile1"));
    EXPECT_TRUE(bench.device->set_dynamic_threshold("profile1", 2));
    EXPECT_EQ(bench.model->profiles.at(0x4001).share, 2);
    bench.model->profiles.erase(kProfileOfAll);
    EXPECT_THAT(names_after_a_look(), ElementsAre("profile1"));
    EXPECT_THAT(refused("profile0", -3), AllOf(HasSubstr("'profile0'"), HasSubstr("profile1")));
}

TEST_F(SaiBuffersOfPorts, TheRunnerHasThoseOfAPortThatIsAdded)
{
    bench.port(1).listed = false;
    ASSERT_THAT(names_after_a_look(), ElementsAre("profile0"));
    lab::SimulatedDisk disk;
    SimulatedRunner runner{bench.clock, *bench.device, disk, book_of(watchdog::find_preset("sai")->policy)};
    runner.run_until(Instant{std::chrono::seconds{1}});
    EXPECT_THAT(runner.device_runner().buffers()->profiles, SizeIs(1));
    bench.port(1).listed = true;
    runner.run_until(Instant{std::chrono::seconds{2}});
    EXPECT_THAT(runner.device_runner().buffers()->profiles, SizeIs(2));
}

// mmuconfig, the agent and the library of its switch, which writes its buffers to a file as hardware would keep them.
class OwnMmuconfig : public testing::Test {
protected:
    void live(const std::string& faults)
    {
        std::ofstream{folder / "sai.profile"} << "bad.faults=" << faults << "\nbad.kept=" << hardware().string()
                                              << '\n';
        agent = std::make_unique<AgentProcess>(AgentProcess::Options{
            .folder = folder.path(),
            .config = "[[device]]\nname = \"tor\"\ndriver = \"sai:" PETREL_BAD_LIBSAI ",profile=" +
                      (folder / "sai.profile").string() + "\"\n",
            .arguments = {"--nos", "own"}});
        ASSERT_NE(agent->wait_for("agent_ready"), "") << agent->log_text();
    }
    Ended mmuconfig(std::vector<std::string> arguments) const
    {
        arguments.insert(arguments.end(), {"--socket", agent->socket().string()});
        return run({.program = PETREL_BIN_DIR "/mmuconfig", .arguments = std::move(arguments)});
    }
    std::filesystem::path hardware() const { return folder / "hardware"; }
    // The row of the profile: its id, pool, reserved size, mode (dynamic) and alpha.
    static std::string profile_with(int alpha) { return "profile 16384 20480 0 1 " + std::to_string(alpha) + '\n'; }

    TemporaryFolder folder;
    std::unique_ptr<AgentProcess> agent;
};

TEST_F(OwnMmuconfig, ProgramsTheSwitchAndShowsWhatTheSwitchShows)
{
    live("");
    EXPECT_THAT(mmuconfig({"-l"}).out,
                AllOf(HasSubstr("Pool: pool0\n"), HasSubstr("size  1000000"), HasSubstr("Profile: profile0\n"),
                      HasSubstr("dynamic_th  1"), HasSubstr("pool        pool0")));
    const auto set = mmuconfig({"-p", "profile0", "-a", "2"});
    EXPECT_EQ(set.exit_code, 0) << set.err;
    EXPECT_THAT(content(hardware()), HasSubstr(profile_with(2)));
    EXPECT_THAT(mmuconfig({"-l"}).out, HasSubstr("dynamic_th  2"));
    EXPECT_THAT(agent->wait_for("alpha_changed"), HasSubstr("profile0: dynamic_th changed from 1 to 2"));
    EXPECT_THAT(agent->wait_for("tables_changed"), HasSubstr("BUFFER_PROFILE|profile0 by "));
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

TEST_F(OwnMmuconfig, FailsWithTheReasonOfTheLibrary)
{
    for (const auto& [fault, why] : {std::pair{"fixed_profiles", "NOT_SUPPORTED (-2)"},
                                     {"forgets_alpha", "accepts SHARED_DYNAMIC_TH 2 for profile0 and then shows 1"}}) {
        live(fault);
        const auto set = mmuconfig({"-p", "profile0", "-a", "2"});
        EXPECT_EQ(set.exit_code, 1);
        EXPECT_THAT(set.err, HasSubstr(why));
        EXPECT_THAT(content(hardware()), Not(HasSubstr(profile_with(2))));
        EXPECT_THAT(mmuconfig({"-l"}).out, HasSubstr("dynamic_th  1"));
        EXPECT_EQ(agent->stop(), 0) << agent->log_text();
        EXPECT_THAT(agent->log_text(), AllOf(Not(HasSubstr("alpha_changed")), Not(HasSubstr("tables_changed"))));
    }
}

TEST_F(OwnMmuconfig, ChangesNothingButAlpha)
{
    live("");
    const auto trim = mmuconfig({"-p", "profile0", "-t", "on"});
    EXPECT_EQ(trim.exit_code, 1);
    EXPECT_THAT(trim.err, HasSubstr("the agent changes only dynamic_th of a profile"));
    const auto fixed = mmuconfig({"-p", "profile0", "-s", "5"});
    EXPECT_EQ(fixed.exit_code, 1);
    EXPECT_THAT(fixed.err, HasSubstr("profile0 not using static threshold"));
    const auto unknown = mmuconfig({"-p", "nosuch", "-a", "2"});
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_THAT(unknown.err, HasSubstr("Cannot find profile nosuch"));
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

// The switch has the buffers, not the agent: its file does not hide what the switch shows.
TEST_F(OwnMmuconfig, ShowsTheSwitchAfterARestart)
{
    live("");
    EXPECT_EQ(mmuconfig({"-p", "profile0", "-a", "2"}).exit_code, 0);
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
    EXPECT_THAT(content(agent->state() / "tables.json"), Not(HasSubstr("BUFFER_")));
    std::ofstream{agent->state() / "tables.json"} << R"({"BUFFER_PROFILE": {"profile7": {"dynamic_th": "1"}}})";
    live("");
    EXPECT_THAT(mmuconfig({"-l"}).out, AllOf(HasSubstr("dynamic_th  2"), Not(HasSubstr("profile7"))));
    EXPECT_EQ(agent->stop(), 0) << agent->log_text();
}

}  // namespace
}  // namespace petrel::test
