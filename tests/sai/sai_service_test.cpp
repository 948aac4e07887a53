// `petrel agent` as it ships, on libraries: what its policies leave to the library is programmed at the start and at a
// reload, shown in three columns wherever queues are shown, and switched off at the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/agent_process.hpp"
#include "support/golden.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kPetrelLibrary = PETREL_BIN_DIR "/../lib/libsai-petrel.so";

class SaiService : public testing::Test {
protected:
    static std::string policy(const std::string& more)
    {
        return "[[policy]]\npreset = \"sai\"\ndetected_by = \"device\"\nrestore_ms = 400\n" + more;
    }

    std::string device(const std::string& library, const std::string& profile)
    {
        const auto file = (folder_ / "sai.profile").string();
        std::ofstream{file} << profile;
        return "[[device]]\nname = \"tor\"\ndriver = \"sai:" + library + ",profile=" + file + "\"\n";
    }

    void live(const std::string& config, std::vector<std::string> arguments = {},
              std::vector<std::pair<std::string, std::string>> environment = {})
    {
        agent_ = std::make_unique<AgentProcess>(AgentProcess::Options{.folder = folder_.path(),
                                                                      .config = config,
                                                                      .arguments = std::move(arguments),
                                                                      .environment = std::move(environment)});
        agent_->metrics();
        ASSERT_NE(agent_->wait_for("agent_ready"), "") << agent_->log_text();
    }

    std::string answer(std::vector<std::string> arguments)
    {
        const auto ended = agent_->ask(std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    }

    // Whether it was said before or is said later.
    std::string line_with(const std::string& event, const std::string& queue)
    {
        std::istringstream said{agent_->log_text()};
        for (std::string line; std::getline(said, line);) {
            if (line.find(event) != std::string::npos && line.find(queue) != std::string::npos) {
                return line;
            }
        }
        return agent_->wait_for(std::vector{event, queue});
    }

    TemporaryFolder folder_;
    std::unique_ptr<AgentProcess> agent_;
};

TEST_F(SaiService, IntervalsOfPoliciesAreProgrammedAndShownInThreeColumns)
{
    const auto tor = device(kPetrelLibrary, "");
    live(tor + policy("detect_ms = 290\npriorities = \"3\"\n"));
    EXPECT_THAT(answer({"queues"}), HasSubstr("290/290/300 ms"));
    EXPECT_THAT(answer({"explain", "port1:3"}), HasSubstr("detect 290/290/300 ms, restore 400/400/400 ms"));
    EXPECT_THAT(
        answer({"queues", "--json"}),
        AllOf(HasSubstr(R"("detect_interval":{"configured_us":290000,"programmed_us":290000,"observed_us":300000})"),
              HasSubstr(R"("detect_interval":{"configured_us":0,"programmed_us":null,"observed_us":null})")));
    EXPECT_THAT(
        agent_->metrics(),
        HasSubstr(
            R"(petrel_interval_seconds{device="tor",port="port1",priority="3",timer="detect",value="observed"} 0.3)"));

    agent_->write_config(tor + policy("detect_ms = 100\npriorities = \"3,4\"\n"));
    answer({"reload"});
    EXPECT_THAT(answer({"explain", "port1:3"}), HasSubstr("detect 100/100/100 ms"));
    EXPECT_THAT(answer({"explain", "port1:4"}), HasSubstr("detect 100/100/100 ms"));
    agent_->write_config(tor + "[[policy]]\npreset = \"sai\"\ndetect_ms = 100\n");
    answer({"reload"});
    EXPECT_THAT(answer({"explain", "port1:3"}), HasSubstr("intervals: detect 100 ms"));
    EXPECT_THAT(agent_->metrics(), Not(HasSubstr("petrel_interval_seconds")));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// Three hosts that pause their switch for a second and a half: two ports are left to the library, each with its own
// intervals and action, the third is polled. The names are those of the front panel.
TEST_F(SaiService, StormsOfAFabricAreFoundByTheLibraryAndByLooking)
{
    std::ofstream{folder_ / "fabric.toml"} << R"(name = "three storms"
duration = "60s"
[topology]
kind = "single-switch"
hosts = 4
host_links = { speed = "1G", cable_m = 3 }
[[traffic]]
from = "h3"
to = "h0"
rate = "50M"
reliable = false
[[fault]]
at = "500ms"
until = "2000ms"
kind = "storm"
host = "h0..h2"
quanta = 2000
period = "1ms"
)";
    std::ofstream{folder_ / "port_config.ini"} << "# name lanes\nEthernet0 1,2,3,4\nEthernet4 5,6,7,8\n"
                                                  "Ethernet8 9,10,11,12\nEthernet12 13,14,15,16\n";
    const auto by_device = [](const std::string& name, const std::string& more) {
        return "[[policy]]\npreset = \"sai\"\ndetected_by = \"device\"\nname = \"" + name + "\"\nports = [\"" + name +
               "\"]\n" + more;
    };
    live(device(kPetrelLibrary, "petrel.scenario=" + (folder_ / "fabric.toml").string() +
                                    "\npetrel.port_names=" + (folder_ / "port_config.ini").string() + "\n") +
         "[[policy]]\npreset = \"sai\"\n" + by_device("Ethernet0", "detect_ms = 100\nrestore_ms = 3000\n") +
         by_device("Ethernet4", "detect_ms = 400\nrestore_ms = 100\naction = \"forward\"\n"));
    const auto found_0 = line_with("storm_detected", "Ethernet0:3");
    EXPECT_THAT(found_0, HasSubstr("reported by the device")) << agent_->log_text();
    const auto found_8 = line_with("storm_detected", "Ethernet8:3");
    EXPECT_THAT(found_8, HasSubstr("without a break")) << agent_->log_text();
    const auto found_4 = line_with("storm_detected", "Ethernet4:3");
    EXPECT_THAT(found_4, HasSubstr("reported by the device")) << agent_->log_text();
    EXPECT_THAT(agent_->log_text(), Not(HasSubstr("detection lands late"))) << "it does not depend on looks";
    EXPECT_THAT(answer({"queues"}),
                AllOf(HasSubstr("100/100/100 ms"), HasSubstr("3000/1500/1500 ms"), HasSubstr("400/400/400 ms")));
    EXPECT_NE(line_with("storm_restored", "Ethernet4:3"), "") << agent_->log_text();
    EXPECT_NE(line_with("storm_restored", "Ethernet8:3"), "") << agent_->log_text();
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// Nothing is amiss with a healthy library of our own, whose scenario the environment may name.
TEST_F(SaiService, TheEnvironmentMayNameTheScenario)
{
    const auto scenario = (folder_ / "fabric.toml").string();
    std::ofstream{scenario} << "name = \"two\"\nduration = \"1s\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n"
                               "host_links = { speed = \"1G\", cable_m = 3 }\n";
    live(device(kPetrelLibrary, "") + "[[policy]]\npreset = \"sai\"\n", {}, {{"PETREL_SCENARIO", scenario}});
    const auto queues = answer({"queues"});
    EXPECT_THAT(queues, AllOf(HasSubstr("port1:3"), Not(HasSubstr("port2:3"))));
    EXPECT_THAT(agent_->log_text(), Not(HasSubstr("device_note")));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// Nobody would hear of its storms; unless somebody wants what is in force to stay. The switch is to go on forwarding,
// so that the library is never shut down.
TEST_F(SaiService, TheLibraryStopsFindingStormsWithTheAgent)
{
    const auto diary = folder_ / "diary";
    const auto tor = device(PETREL_BAD_LIBSAI, "bad.diary=" + diary.string() + "\n");
    live(tor + policy("priorities = \"3\"\n"));
    agent_->write_config(tor + policy("priorities = \"3\"\nports = [\"port1\"]\n"));
    answer({"reload"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    // The first line is the question whether it can be told at all.
    EXPECT_EQ(content(diary), "off 0\non 3\non 11\noff 3\noff 11\n");
    live(tor + policy("priorities = \"3\"\n"), {"--stop", "hold"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    EXPECT_THAT(content(diary), testing::EndsWith("on 3\non 11\n"));
}

TEST_F(SaiService, ABadLibraryIsWatchedAsFarAsItGoes)
{
    live(device(PETREL_BAD_LIBSAI, "bad.faults=coarse_timers,one_port_takes_no_interval,no_queue_action\n") +
         policy("detect_ms = 250\npriorities = \"3\"\n"));
    EXPECT_THAT(answer({"explain", "port0:3"}), HasSubstr("detect 250/250/300 ms"));
    EXPECT_THAT(answer({"explain", "port1:3"}), HasSubstr("intervals: detect 250 ms"));
    const auto* said = "port1: set PFC_TC_DLD_INTERVAL of a port: FAILURE (-1); the library does not find storms there";
    EXPECT_THAT(agent_->log_text(), HasSubstr(said));
    EXPECT_THAT(agent_->log_text(), HasSubstr("device_note"));
    EXPECT_THAT(answer({"status"}), HasSubstr(std::string{"note: tor: "} + said));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

}  // namespace
}  // namespace petrel::test
