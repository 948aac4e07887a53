// The conformance kit passes the example helpers, and says what each deliberately broken helper does wrong.
#include "device/exec/conformance.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "codec/exec/exec_message.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/helper_process.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::device::exec {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Verdict = Check::Verdict;

const std::string kExamples = PETREL_TEST_DATA "/../examples/helpers";

std::vector<Check> check(std::vector<std::string> words, const std::optional<std::string>& treat)
{
    return check_helper([&] { return runtime::HelperProcess::start(words, codec::kLongestExecLine); },
                        runtime::SystemClock{}, treat);
}

// "NAME: what is wrong", for each check with this verdict.
std::vector<std::string> with_verdict(const std::vector<Check>& checks, Verdict verdict)
{
    std::vector<std::string> texts;
    for (const auto& one : checks) {
        if (one.verdict == verdict) {
            texts.push_back(one.name + ": " + one.detail);
        }
    }
    return texts;
}

TEST(Conformance, TheSimulatedSwitchConforms)
{
    const auto checks = check({kExamples + "/simulated_switch.py", "--storm", "Ethernet0:3@0+60"}, "Ethernet4:3");
    EXPECT_THAT(with_verdict(checks, Verdict::failed), IsEmpty());
    EXPECT_THAT(with_verdict(checks, Verdict::skipped), IsEmpty());
    EXPECT_EQ(checks.size(), 15U);
}

TEST(Conformance, WithoutAQueueToTreatItOnlyReads)
{
    const auto checks = check({kExamples + "/simulated_switch.py"}, std::nullopt);
    EXPECT_THAT(with_verdict(checks, Verdict::failed), IsEmpty());
    EXPECT_THAT(
        with_verdict(checks, Verdict::skipped),
        testing::ElementsAre("treatment drop: it disturbs traffic: name a queue for it, as --treat Ethernet0:3",
                             "watch_by_itself: it disturbs traffic: name a queue for it, as --treat Ethernet0:3"));
}

// A switch with a command line that keeps its policies in files.
class ByCommands : public testing::Test {
protected:
    void SetUp() override
    {
        const auto program = folder_ / "cli";
        std::ofstream{program}
            << "#!/bin/sh\n"
               "file="
            << folder_.path().string()
            << "/policy-$2-$3\n"
               "case $1 in\n"
               "counters) echo 'link: up'; printf '\\377\\n'; echo 'pause time: 5 us'; echo 'sent: 7' ;;\n"
               "show) cat $file 2>/dev/null || echo forward ;;\n"
               "set) echo $4 > $file ;;\n"
               "*) echo \"no command $1\"; exit 1 ;;\n"
               "esac\n";
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        write_table(program.string());
    }
    void write_table(const std::string& cli)
    {
        std::ofstream{folder_ / "table.json"} << fmt::format(
            R"json({{"name":"by commands","timeout_s":20,"stamp_uncertainty_us":5000,"survive":["pause_us"],)json"
            R"json("ports":[{{"name":"Ethernet0","speed_bps":0,"host_facing":true,"priorities":[3,4]}}],)json"
            R"json("look":"{0} counters {{port}} {{priority}}","link":"link: (up|down)",)json"
            R"json("fields":{{"pause_us":"pause time: (\\d+) us","tx_packets":"sent: (\\d+)"}},)json"
            R"json("read_back":"{0} show {{port}} {{priority}}","save":"{0} show {{port}} {{priority}}",)json"
            R"json("treatments":{{"drop":{{"apply":"{0} set {{port}} {{priority}} drop","shown":"^drop"}}}},)json"
            R"json("restore":"{0} set {{port}} {{priority}} {{undo}}","default":"forward"}})json",
            cli);
    }
    std::vector<Check> check_table(const std::optional<std::string>& treat)
    {
        return check({kExamples + "/switch_by_commands.py", (folder_ / "table.json").string()}, treat);
    }

    test::TemporaryFolder folder_;
};

TEST_F(ByCommands, ConformsAndPutsBackWhatWasThere)
{
    std::ofstream{folder_ / "policy-Ethernet0-3"} << "shape-7\n";
    const auto checks = check_table("Ethernet0:3");
    EXPECT_THAT(with_verdict(checks, Verdict::failed), IsEmpty());
    EXPECT_THAT(with_verdict(checks, Verdict::skipped), IsEmpty());
    std::string policy;
    std::ifstream{folder_ / "policy-Ethernet0-3"} >> policy;
    EXPECT_EQ(policy, "forward") << "the last restore has no undo";
}

TEST_F(ByCommands, ACommandThatFailsIsNamed)
{
    write_table("/no/such/cli");
    const auto failed = with_verdict(check_table(std::nullopt), Verdict::failed);
    ASSERT_FALSE(failed.empty());
    EXPECT_THAT(failed, testing::Contains(HasSubstr("/no/such/cli: No such file or directory")));
}

struct Defect {
    const char* name;
    const char* failed;
};

class BrokenHelperCheck : public testing::TestWithParam<Defect> {};

TEST_P(BrokenHelperCheck, TheKitSaysWhatIsWrong)
{
    const auto failed = with_verdict(
        check({PETREL_TEST_DATA "/device_exec/broken_helper.py", kExamples, GetParam().name}, "Ethernet4:3"),
        Verdict::failed);
    ASSERT_FALSE(failed.empty());
    EXPECT_THAT(failed.front(), HasSubstr(GetParam().failed));
}

INSTANTIATE_TEST_SUITE_P(
    Each, BrokenHelperCheck,
    testing::Values(
        Defect{"dies_at_hello", "hello: the helper program: has ended with exit code 1; its stderr ends with 'no such"},
        Defect{"other_protocol", "hello: the helper program: protocol is 2: allowed 1"},
        Defect{"negative_counter", "look at all rows: samples[0].tx_packets is -1: allowed a whole number, 0.."},
        Defect{"leaves_rows_out", "look at all rows: the answer leaves out Ethernet0:3: allowed is each row, with"},
        Defect{"lacks_a_field", "declared fields: no sample has rx_xoff: allowed in capabilities.fields is what can"},
        Defect{"counters_shrink", "counters and stamps only grow: Ethernet0:3: tx_packets goes from 999 to 997"},
        Defect{"hangs_at_third_look", "counters and stamps only grow: the helper program: no answer within 1000 ms"},
        Defect{"knows_other_links", R"(links: links[0].port is "Ethernet99": allowed a port of the inventory)"},
        Defect{"accepts_everything", "unknown call: the answer is a success: allowed is an error of the kind"},
        Defect{"prepare_applies", "prepare only reads: after prepare, read_back shows drop: allowed is none"},
        Defect{"apply_does_nothing", "treatment drop: after apply, read_back shows none: allowed is drop"},
        Defect{"rounds_intervals", "watch_by_itself: detect_us is 400000 with on = true: allowed is 200000 within 10"},
        Defect{"fails_at_the_end", "treatment drop: close: has ended with exit code 1; its stderr ends with 'cannot"},
        Defect{"ignores_the_end", "treatment drop: close: has not ended within 1000 ms after close"}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST(Conformance, AQueueToTreatMustExist)
{
    const auto checks = check({kExamples + "/simulated_switch.py"}, "Ethernet9:3");
    EXPECT_EQ(with_verdict(checks, Verdict::failed).at(0),
              "hello: the inventory has no queue 'Ethernet9:3', which --treat names");
    EXPECT_THAT(with_verdict(checks, Verdict::passed), IsEmpty());
}

}  // namespace
}  // namespace petrel::device::exec
