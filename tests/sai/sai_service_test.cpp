// `petrel agent` as it ships, on libraries: what its policies leave to the library is programmed at the start and at a
// reload, shown in three columns wherever queues are shown, and switched off at the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/agent_process.hpp"
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

    void live(const std::string& config)
    {
        agent_ = std::make_unique<AgentProcess>(AgentProcess::Options{.folder = folder_.path(), .config = config});
        agent_->metrics();
        ASSERT_NE(agent_->wait_for("agent_ready"), "") << agent_->log_text();
    }

    std::string answer(std::vector<std::string> arguments)
    {
        const auto ended = agent_->ask(std::move(arguments));
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
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
