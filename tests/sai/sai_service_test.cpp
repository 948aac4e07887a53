// The real `petrel agent` on libraries: detection that policies leave to the library is programmed at the start and at
// a reload, shown in three columns wherever queues are shown, and switched off at the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "runtime/file_lock.hpp"
#include "support/agent_process.hpp"
#include "support/full_disk.hpp"
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
        begin(config, std::move(arguments), std::move(environment));
        agent_->metrics();
        ASSERT_NE(agent_->wait_for("agent_ready"), "") << agent_->log_text();
    }

    void begin(const std::string& config, std::vector<std::string> arguments = {},
               std::vector<std::pair<std::string, std::string>> environment = {})
    {
        agent_ = std::make_unique<AgentProcess>(AgentProcess::Options{.folder = folder_.path(),
                                                                      .config = config,
                                                                      .arguments = std::move(arguments),
                                                                      .environment = std::move(environment)});
    }

    std::string answer(std::vector<std::string> arguments)
    {
        const auto ended = agent_->control(std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    }

    // The line in the log, already read or still to come.
    std::string line_with(const std::string& event, const std::string& queue)
    {
        std::istringstream expected_note{agent_->log_text()};
        for (std::string line; std::getline(expected_note, line);) {
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

TEST_F(SaiService, AnOrderForAQueueWithoutPfcIsRefused)
{
    live(device(kPetrelLibrary, "") + "[[policy]]\npreset = \"sai\"\n");
    const auto refused = agent_->control({"mitigate", "port1:5"});
    EXPECT_EQ(refused.exit_code, 2) << refused.out;
    EXPECT_THAT(refused.err, HasSubstr("tor:port1:5 has PFC off"));
    EXPECT_THAT(answer({"mitigate", "port1:3"}), HasSubstr("port1:3"));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// The port accepts no other width, so it takes the link down.
TEST_F(SaiService, ALinkThatTheSwitchTakesDownIsNotDisabledByTheAdministrator)
{
    std::ofstream{folder_ / "fabric.toml"} << R"(name = "a link degrades"
duration = "60s"
[topology]
kind = "single-switch"
hosts = 2
host_links = { speed = "1G", cable_m = 3 }
[[port]]
port = "h1"
widths = [2, 4]
[[fault]]
at = "500ms"
kind = "degrade-link"
link = "h1"
lanes = 2
)";
    live(device(kPetrelLibrary, "petrel.scenario=" + (folder_ / "fabric.toml").string() + "\n") +
         policy("detect_ms = 300\n"));
    EXPECT_THAT(line_with("link_down", "port1"), AllOf(Not(HasSubstr("60 Switch")), HasSubstr("PHY_LOCAL_FAULT")));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// The same faults are played after the restart: the fabric lives in the agent's process.
TEST_F(SaiService, LinksAreFollowedAndTheirHistorySurvivesAKill)
{
    std::ofstream{folder_ / "fabric.toml"} << R"(name = "a link goes down"
duration = "60s"
[topology]
kind = "single-switch"
hosts = 2
host_links = { speed = "1G", cable_m = 3 }
[[fault]]
at = "500ms"
kind = "cut-link"
link = "h1"
[[fault]]
at = "900ms"
kind = "mend-link"
link = "h1"
)";
    const auto config = device(kPetrelLibrary, "petrel.scenario=" + (folder_ / "fabric.toml").string() + "\n") +
                        policy("detect_ms = 300\n");
    live(config);
    EXPECT_THAT(line_with("link_down", "port1"),
                HasSubstr("event 1: 36 Neighbor Unknown (sai.port_error 0x800 = 0x0103 PHY_SIGNAL_LOSS)"));
    EXPECT_NE(line_with("link_up", "port1"), "");
    EXPECT_THAT(answer({"events"}), AllOf(HasSubstr("link_down"), HasSubstr("link_up")));
    EXPECT_THAT(answer({"link", "show"}),
                AllOf(HasSubstr("port0"), HasSubstr("port1"), HasSubstr("PHY_SIGNAL_LOSS"), HasSubstr("unavailable")));
    EXPECT_THAT(answer({"link", "show", "port1", "--history", "--format", "opasaquery"}),
                AllOf(HasSubstr("LinkDownReason: Neigh Unknown    NeighborLinkDownReason: unavailable"),
                      HasSubstr("LinkDownErrorLog: 36 (       Neigh Unknown) Time: "),
                      HasSubstr("NeighborLinkDownErrorLog: unavailable\n")));
    EXPECT_THAT(answer({"link", "show", "port1", "--history", "--json"}), HasSubstr(R"("ldr":36,"nldr":null)"));
    EXPECT_EQ(agent_->control({"link", "clear", "port1", "--sequence", "2"}).exit_code, 2) << "there is no event 2";
    EXPECT_THAT(answer({"link", "clear", "port1", "--sequence", "1"}), HasSubstr("1 event acknowledged"));
    EXPECT_THAT(answer({"link", "show", "port1"}), Not(HasSubstr("PHY_SIGNAL_LOSS")));

    agent_->kill();
    agent_->start();
    EXPECT_THAT(agent_->wait_for(std::vector<std::string>{"link_down", "port1"}),
                HasSubstr("event 2: 36 Neighbor Unknown"));
    EXPECT_THAT(answer({"link", "show", "port1", "--history", "--json"}),
                AllOf(HasSubstr(R"("last_seq":2)"), HasSubstr(R"("unacknowledged":{"seq":2,)"),
                      HasSubstr(R"("events":[{"seq":1,)"), HasSubstr(R"("list":"sai.port_error","code":2048)")));
}

// Three hosts pause their switch for 1.5 s: two ports are left to the library, each with its own intervals and action,
// the third is polled. Port names are those of the front panel.
TEST_F(SaiService, StormsOfAFabricAreFoundByTheLibraryAndByPolling)
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
         "[[policy]]\npreset = \"sai\"\n" +
         by_device("Ethernet0", "detect_ms = 100\nrestore_ms = 3000\nclip = true\n") +
         by_device("Ethernet4", "detect_ms = 400\nrestore_ms = 100\naction = \"forward\"\n"));
    const auto found_0 = line_with("storm_detected", "Ethernet0:3");
    EXPECT_THAT(found_0, HasSubstr("reported by the device")) << agent_->log_text();
    const auto found_8 = line_with("storm_detected", "Ethernet8:3");
    EXPECT_THAT(found_8, HasSubstr("without a break")) << agent_->log_text();
    const auto found_4 = line_with("storm_detected", "Ethernet4:3");
    EXPECT_THAT(found_4, HasSubstr("reported by the device")) << agent_->log_text();
    EXPECT_THAT(agent_->log_text(), Not(HasSubstr("storms may be detected late")))
        << "the device detects: poll_ms does not matter";
    EXPECT_THAT(answer({"queues"}),
                AllOf(HasSubstr("100/100/100 ms"), HasSubstr("3000/1500/1500 ms"), HasSubstr("400/400/400 ms")));
    EXPECT_NE(line_with("storm_restored", "Ethernet4:3"), "") << agent_->log_text();
    EXPECT_NE(line_with("storm_restored", "Ethernet8:3"), "") << agent_->log_text();
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// A healthy library of our own causes no notes. The environment may name its scenario.
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

// When the agent stops, the library's detection is switched off, since no agent receives its notices; with --stop hold
// it stays on. The switch keeps forwarding, so the library is never shut down.
TEST_F(SaiService, TheLibraryStopsDetectingWithTheAgent)
{
    const auto diary = folder_ / "diary";
    const auto tor = device(PETREL_BAD_LIBSAI, "bad.diary=" + diary.string() + "\n");
    live(tor + policy("priorities = \"3\"\n"));
    agent_->write_config(tor + policy("priorities = \"3\"\nports = [\"port1\"]\n"));
    answer({"reload"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    // The first line is the test whether detection can be set at all.
    EXPECT_EQ(content(diary), "off 0\non 3\non 11\noff 3\noff 11\n");
    live(tor + policy("priorities = \"3\"\n"), {"--stop", "hold"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    EXPECT_THAT(content(diary), testing::EndsWith("on 3\non 11\n"));
}

TEST_F(SaiService, ABadLibraryIsWatchedAsFarAsPossible)
{
    live(device(PETREL_BAD_LIBSAI, "bad.faults=coarse_timers,one_port_takes_no_interval,no_queue_action\n") +
         policy("detect_ms = 250\ninterval_tolerance = 20\npriorities = \"3\"\n"));
    EXPECT_THAT(answer({"explain", "port0:3"}), HasSubstr("detect 250/250/300 ms"));
    EXPECT_THAT(answer({"explain", "port1:3"}), HasSubstr("intervals: detect 250 ms"));
    const auto* expected_note =
        "port1: set PFC_TC_DLD_INTERVAL of a port: FAILURE (-1); the library does not detect storms there";
    EXPECT_THAT(agent_->log_text(), HasSubstr(expected_note));
    EXPECT_THAT(agent_->log_text(), HasSubstr("device_note"));
    EXPECT_THAT(answer({"status"}), HasSubstr(std::string{"note: tor: "} + expected_note));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

// A library can be initialised once in a process: a later failure must not end the watching for good.
TEST_F(SaiService, ADeviceIsOpenedOnceItsJournalCanBe)
{
    for (const auto* library : {kPetrelLibrary, PETREL_BAD_LIBSAI}) {
        std::filesystem::remove_all(folder_ / "state");
        std::filesystem::create_directories(folder_ / "state");
        std::optional held{runtime::HeldFile::take(folder_ / "state" / "tor.journal")};
        ASSERT_TRUE(*held);
        begin(device(library, "") + "[[policy]]\npreset = \"sai\"\n");
        EXPECT_THAT(agent_->wait_for("device_failing"), HasSubstr("tor.journal is in use by "));
        held.reset();
        EXPECT_NE(agent_->wait_for("agent_ready"), "") << library << '\n' << agent_->log_text();
        EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    }
}

TEST_F(SaiService, ADeviceIsOpenedOnceTheDiskHasRoom)
{
    live(device(kPetrelLibrary, "") + "[[policy]]\npreset = \"sai\"\n");
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    std::filesystem::remove_all(folder_ / "state");
    {
        const FullDisk inherited{0};
        agent_->start();
    }
    EXPECT_THAT(agent_->wait_for("device_failing"), HasSubstr("tor.journal"));
    const rlimit room{RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(::prlimit(agent_->pid(), RLIMIT_FSIZE, &room, nullptr), 0);
    EXPECT_NE(agent_->wait_for("agent_ready"), "") << agent_->log_text();
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

TEST_F(SaiService, AJournalThatWasMovedAwayFreesTheDevice)
{
    for (const auto* library : {kPetrelLibrary, PETREL_BAD_LIBSAI}) {
        std::filesystem::remove_all(folder_ / "state");
        std::filesystem::create_directories(folder_ / "state");
        const auto journal = folder_ / "state" / "tor.journal";
        std::ofstream{journal} << "this is no journal at all, and it is longer than a header is";
        begin(device(library, "") + "[[policy]]\npreset = \"sai\"\n");
        // The second attempt gets the library in the state that the first has left.
        EXPECT_NE(agent_->wait_for(std::vector<std::string>{"device_failing", "tried again in 2.000 s"}), "")
            << agent_->log_text();
        EXPECT_THAT(answer({"status"}), AllOf(HasSubstr("not a journal"), Not(HasSubstr("ITEM_ALREADY_EXISTS"))));
        std::filesystem::rename(journal, folder_ / "moved away");
        EXPECT_NE(agent_->wait_for("agent_ready"), "") << library << '\n' << agent_->log_text();
        EXPECT_THAT(answer({"status"}), Not(HasSubstr("not a journal")));
        EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
        std::filesystem::remove(folder_ / "moved away");
    }
}

TEST_F(SaiService, StatusNamesTheFirstCauseOfAFailure)
{
    begin(device(PETREL_BAD_LIBSAI, "bad.faults=initializes_by_half\n") + "[[policy]]\npreset = \"sai\"\n");
    EXPECT_NE(agent_->wait_for(std::vector<std::string>{"device_failing", "tried again in 2.000 s"}), "")
        << agent_->log_text();
    EXPECT_THAT(answer({"status"}), HasSubstr("sai_api_initialize: FAILURE (-1); a later attempt failed too: "
                                              "sai_query_api_version: FAILURE (-1)"));
    answer({"reload"});
    EXPECT_THAT(answer({"status"}), HasSubstr("sai_api_initialize: FAILURE (-1)"));
}

// lossless-off is a treatment of the port: its entry in the journal has no queue. The library keeps its masks as
// hardware would: a line "port NUMBER MASK SENT_MASK" for each port.
TEST_F(SaiService, ReleaseAllPutsTheLosslessModeOfAPortBack)
{
    const auto hardware = folder_ / "hardware";
    live(device(PETREL_BAD_LIBSAI, "bad.kept=" + hardware.string() + "\n") +
         "[[policy]]\npreset = \"rdma-switch\"\n[[port]]\nname = \"port1\"\nrole = \"host\"\n");
    answer({"mitigate", "port1:3"});
    while (answer({"queues", "--json"}).find(R"("observed":"lossless-off")") == std::string::npos) {
    }
    EXPECT_THAT(content(hardware), AllOf(HasSubstr("port 0 24 24\n"), HasSubstr("port 1 0 24\n")));
    agent_->kill();
    const auto released =
        run({.program = PETREL_BIN_DIR "/petrel",
             .arguments = {"release-all", "--config", agent_->file().string(), "--socket", agent_->socket().string()}});
    EXPECT_EQ(released.exit_code, 0) << released.err;
    EXPECT_THAT(released.out, HasSubstr("tor: port1 released"));
    EXPECT_THAT(content(hardware), AllOf(HasSubstr("port 0 24 24\n"), HasSubstr("port 1 24 24\n")));
}

// A release-all with a mistyped socket must not initialise the switch a second time.
TEST_F(SaiService, ReleaseAllLeavesTheDeviceOfALiveAgentAlone)
{
    const auto diary = folder_ / "diary";
    live(device(PETREL_BAD_LIBSAI, "bad.diary=" + diary.string() + "\n") + "[[policy]]\npreset = \"sai\"\n");
    const auto before = content(diary);
    const auto release = [&] {
        return run({.program = PETREL_BIN_DIR "/petrel",
                    .arguments = {"release-all", "--config", agent_->file().string(), "--socket",
                                  (folder_ / "mistyped.sock").string()}});
    };
    const auto refused = release();
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.out, AllOf(HasSubstr("tor: nothing was released"),
                                   HasSubstr("in use by process " + std::to_string(agent_->pid()) + ":"),
                                   HasSubstr(agent_->socket().string())));
    EXPECT_EQ(content(diary), before);

    // Even without the journal, the running agent is recognised.
    std::filesystem::remove(folder_ / "state" / "tor.journal");
    EXPECT_THAT(release().out, HasSubstr("in use by process " + std::to_string(agent_->pid()) + ":"));
    EXPECT_EQ(content(diary), before);
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    EXPECT_EQ(release().exit_code, 0);
}

// systemd restarts only an agent that fails.
TEST_F(SaiService, ALibraryThatExitsEndsTheAgentWithFailure)
{
    for (const auto* fault : {"exits", "quick_exits"}) {
        begin(device(PETREL_BAD_LIBSAI, std::string{"bad.faults="} + fault + "\n") + "[[policy]]\npreset = \"sai\"\n");
        EXPECT_EQ(agent_->wait(), 1) << fault << '\n' << agent_->log_text();
        EXPECT_THAT(agent_->log_text(), HasSubstr("exit(")) << fault;
        EXPECT_THAT(agent_->log_text(), HasSubstr("while the agent watches: this process ends with status 1"));
    }
    const auto released =
        run({.program = PETREL_BIN_DIR "/petrel", .arguments = {"release-all", "--config", agent_->file().string()}});
    EXPECT_EQ(released.exit_code, 0) << "there is no journal yet, so the library is not called: " << released.err;
    std::ofstream{folder_ / "state" / "tor.journal"};
    const auto ended =
        run({.program = PETREL_BIN_DIR "/petrel", .arguments = {"release-all", "--config", agent_->file().string()}});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("before everything was released: this process ends with status 1"));
}

// A switch with room for three pools besides its own, which keeps its settings after the process ends.
TEST_F(SaiService, StartsLeaveNoBuffersInASwitchThatOutlivesThem)
{
    const auto kept = folder_ / "kept";
    const auto tor =
        device(PETREL_BAD_LIBSAI, "bad.pools=4\nbad.kept=" + kept.string() + "\n") + "[[policy]]\npreset = \"sai\"\n";
    const auto objects = [&] {
        const auto text = content(kept);
        std::istringstream lines{text};
        std::size_t count = 0;
        for (std::string line; std::getline(lines, line);) {
            count += line.starts_with("pool ") || line.starts_with("profile ") ? 1U : 0U;
        }
        return count;
    };
    const auto start = [&] {
        std::filesystem::remove(folder_ / "state" / "starts");  // else the agent delays its start
        live(tor);
        EXPECT_THAT(answer({"status"}), Not(HasSubstr("drop-egress replaces drop")));
    };
    for (int i = 0; i != 6; ++i) {  // quiet, killed
        start();
        agent_->kill();
        EXPECT_EQ(objects(), 2U);
    }
    start();
    answer({"mitigate", "port0:3"});
    const auto treated = [&] { return answer({"queues", "--stormed", "--json"}).find(R"("observed":"drop")"); };
    while (treated() == std::string::npos) {
    }
    for (int i = 0; i != 6; ++i) {  // in a treatment, killed
        agent_->kill();
        EXPECT_EQ(objects(), 4U);
        start();
    }
    answer({"mitigate", "port1:4"});
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    EXPECT_EQ(objects(), 2U);
}

// The switch keeps its settings after a kill -9. The next agent goes on with the treatment, and its stop restores.
TEST_F(SaiService, LosslessOffOutlivesAKillAndIsUndoneByTheNextAgent)
{
    const auto kept = folder_ / "kept";
    const auto tor = device(PETREL_BAD_LIBSAI, "bad.kept=" + kept.string() + "\n") +
                     "[[policy]]\npreset = \"rdma-switch\"\n[[port]]\nname = \"port0\"\nrole = \"host\"\n";
    const auto treated = [&] { return answer({"queues", "--stormed", "--json"}).find(R"("observed":"lossless-off")"); };
    live(tor);
    EXPECT_THAT(content(kept), HasSubstr("port 0 24 24\n"));
    answer({"mitigate", "port0:3"});
    while (treated() == std::string::npos) {
    }
    EXPECT_THAT(content(kept), HasSubstr("port 0 0 24\n"));
    agent_->kill();
    EXPECT_THAT(content(kept), HasSubstr("port 0 0 24\n"));
    live(tor);
    while (treated() == std::string::npos) {
    }
    EXPECT_THAT(content(kept), HasSubstr("port 0 0 24\n"));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
    EXPECT_THAT(content(kept), AllOf(HasSubstr("port 0 24 24\n"), Not(HasSubstr(" 1 0\n"))));
}

TEST_F(SaiService, AFullTableOfBuffersIsInLogAndStatus)
{
    live(device(PETREL_BAD_LIBSAI, "bad.pools=1\n") + "[[policy]]\npreset = \"sai\"\n");
    const auto* expected_note =
        "a buffer pool without room cannot be made: TABLE_FULL (-13), the switch's table of buffer pools is "
        "full; drop-egress replaces drop";
    EXPECT_THAT(agent_->log_text(), HasSubstr(expected_note));
    EXPECT_THAT(answer({"status"}), HasSubstr(std::string{"note: tor: "} + expected_note));
    EXPECT_EQ(agent_->stop(), 0) << agent_->log_text();
}

}  // namespace
}  // namespace petrel::test
