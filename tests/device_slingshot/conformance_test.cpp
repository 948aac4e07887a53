// The conformance kit for Slingshot's registers passes a sound helper, and says what each defective helper does wrong.
#include "device/slingshot/exec/conformance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "codec/exec/exec_message.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/helper_process.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::device::slingshot {
namespace {

using exec::Check;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Verdict = Check::Verdict;

class RegisterConformance : public testing::Test {
protected:
    std::vector<std::string> run(const std::optional<std::string>& treat, Verdict verdict,
                                 const std::string& defect = "")
    {
        return run(std::vector<std::string>{PETREL_TEST_DATA "/device_slingshot/registers_helper.py",
                                            (folder_ / "registers").string(), defect},
                   treat, verdict);
    }
    // "NAME: what was seen", for each check with this verdict.
    static std::vector<std::string> run(const std::vector<std::string>& words, const std::optional<std::string>& treat,
                                        Verdict verdict)
    {
        std::vector<std::string> texts;
        for (const auto& one :
             check_register_helper([&] { return runtime::HelperProcess::start(words, codec::kLongestExecLine); },
                                   runtime::SystemClock{}, treat)) {
            if (one.verdict == verdict) {
                texts.push_back(one.name + ": " + one.detail);
            }
        }
        return texts;
    }

    test::TemporaryFolder folder_;
};

TEST_F(RegisterConformance, ASoundHelperConformsAndItsRegistersAreAsBefore)
{
    constexpr auto kRegisters = R"({"Ethernet0": {"max_frame_size": 9216, "pcp_enable": 1}, )"
                                R"("Ethernet1": {"max_frame_size": 1500, "pcp_enable": 1}})";
    std::ofstream{folder_ / "registers"} << kRegisters;
    EXPECT_EQ(run("Ethernet1", Verdict::passed).size(), 12U);
    EXPECT_THAT(run("Ethernet1", Verdict::failed), IsEmpty());
    std::string left;
    std::getline(std::ifstream{folder_ / "registers"}, left);
    EXPECT_EQ(left, kRegisters);
}

TEST_F(RegisterConformance, WithoutAPortToTreatItOnlyReads)
{
    EXPECT_THAT(run(std::nullopt, Verdict::skipped),
                ElementsAre("write max_frame_size: it disturbs traffic: name a port for it, as --treat Ethernet0",
                            "write pcp_enable: it disturbs traffic: name a port for it, as --treat Ethernet0"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "registers"));
}

// The registers of its switch begin anew in each process, so only the reading part of the kit fits it.
TEST_F(RegisterConformance, TheTwinBehindAHelperConforms)
{
    const std::vector<std::string> twin{PETREL_BIN_DIR "/petrel-test-slingshot",
                                        PETREL_TEST_DATA "/../scenarios/pause-too-long.toml",
                                        (folder_ / "writes").string()};
    EXPECT_EQ(run(twin, std::nullopt, Verdict::passed).size(), 10U);
    EXPECT_THAT(run(twin, std::nullopt, Verdict::failed), IsEmpty());
}

TEST_F(RegisterConformance, ItSaysWhatIsWrong)
{
    const auto first_failed = [&](const std::string& defect) {
        std::filesystem::remove(folder_ / "registers");
        const auto failed = run("Ethernet0", Verdict::failed, defect);
        return failed.empty() ? "conforms" : failed.front();
    };
    EXPECT_THAT(first_failed("leaves_ports_out"),
                HasSubstr("read all edge ports: Ethernet1 cannot be read: the helper's answers leave it out"));
    EXPECT_THAT(first_failed("counters_shrink"), HasSubstr("counters only grow: Ethernet0: a counter shrinks"));
    EXPECT_THAT(first_failed("discards_shrink"), HasSubstr("counters only grow: Ethernet0: a counter shrinks"));
    EXPECT_THAT(first_failed("reads_all_only"), HasSubstr("read one port: Ethernet1 cannot be read"));
    EXPECT_THAT(first_failed("no_edge"), HasSubstr("hello: ports has no port with edge = true"));
    EXPECT_THAT(first_failed("links_in_words"), HasSubstr(R"(links: links[0].up is "yes": allowed true or false)"));
    EXPECT_THAT(first_failed("accepts_any_call"), HasSubstr("unknown call: the answer is a success"));
    EXPECT_THAT(first_failed("accepts_any_port"), HasSubstr("unknown port: the answer is a success"));
    EXPECT_THAT(first_failed("accepts_any_register"), HasSubstr("unknown register: the answer is a success"));
    EXPECT_THAT(first_failed("stays_open"), HasSubstr("close: not now"));
    EXPECT_THAT(first_failed("write_does_nothing"),
                HasSubstr("write max_frame_size: after write, read shows max_frame_size 9216 and pcp_enable 1: allowed "
                          "is 63 and 1"));
    EXPECT_THAT(first_failed("pcp_enable_is_stuck"),
                HasSubstr("write pcp_enable: after write, read shows max_frame_size 9216 and pcp_enable 1: allowed is "
                          "9216 and 0"));
    EXPECT_THAT(first_failed("never_restores"),
                HasSubstr("write max_frame_size: after the restore, read shows max_frame_size 63"));
    EXPECT_THAT(first_failed("forgets"),
                HasSubstr("write max_frame_size: in a new helper, read shows max_frame_size 9216"));
}

TEST_F(RegisterConformance, APortToTreatMustExist)
{
    EXPECT_THAT(run("Ethernet9", Verdict::failed),
                ElementsAre("hello: the hello has no edge port 'Ethernet9', which --treat names"));
}

}  // namespace
}  // namespace petrel::device::slingshot
