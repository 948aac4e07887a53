// `petrel lab run` with many runs: a line for each in their order, the failures with the commands that repeat them, the
// totals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "petrel_program.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {
namespace {

using petrel::test::Ended;
using petrel::test::run;
using test::petrel;

constexpr auto kArrives = "../tests/golden/cli/input/lab/arrives.toml";
constexpr auto kFails = "../tests/golden/cli/input/lab/not-as-expected.toml";
constexpr auto kShared = "../tests/golden/cli/input/lab-defaults/shared.toml";
constexpr auto kStormScenario = "../tests/golden/cli/input/lab/storm.toml";

Ended lab_run(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), {"lab", "run"});
    return run(petrel(std::move(arguments)));
}

// Removes durations, which differ in each run.
std::string timeless(const std::string& text)
{
    return std::regex_replace(text, std::regex{R"([0-9]+\.[0-9]{2} s\))"}, "T s)");
}

TEST(LabBatch, AllValuesOfTheFilesOwnSweep)
{
    const auto ended = lab_run({kArrives, "--all", "--jobs", "2"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(timeless(ended.out),
              "ok      ../tests/golden/cli/input/lab/arrives.toml packets=10 seed 1  (3 expected, T s)\n"
              "ok      ../tests/golden/cli/input/lab/arrives.toml packets=20 seed 1  (3 expected, T s)\n"
              "2 runs, 0 failed\n");
}

TEST(LabBatch, FailuresShowTheFoundValueAndTheCommandToRepeat)
{
    const auto ended = lab_run({kFails, kArrives, "--seed", "5", "--jobs", "2"});
    EXPECT_EQ(ended.exit_code, 5);
    EXPECT_EQ(ended.err, "");
    EXPECT_EQ(timeless(ended.out),
              "FAILED  ../tests/golden/cli/input/lab/not-as-expected.toml seed 5  (T s)\n"
              "  line 20: traffic data: delivered, 0 s..0.001 s: wanted <= 5, found 10\n"
              "  line 26: state: paused, 0 s..0.0005 s: wanted >= 1, found 0\n"
              "  once more: petrel lab run ../tests/golden/cli/input/lab/not-as-expected.toml --seed 5\n"
              "ok      ../tests/golden/cli/input/lab/arrives.toml seed 5  (3 expected, T s)\n"
              "2 runs, 1 failed\n");
}

TEST(LabBatch, AFailureOfASharedExpectationNamesItsFile)
{
    const auto ended = lab_run({kShared, kArrives});
    EXPECT_EQ(ended.exit_code, 5);
    EXPECT_THAT(timeless(ended.out),
                testing::HasSubstr("  ../tests/golden/cli/input/lab-defaults/defaults/too-strict.toml:3: "
                                   "state: mitigated, 0 s..0.001 s: wanted 1, found 0\n"));
}

TEST(LabBatch, OutputDoesNotDependOnTheNumberOfWorkers)
{
    const std::vector<std::string> arguments{kArrives, kFails, "--repeat", "3", "--full"};
    const auto with_jobs = [&](const char* jobs) {
        auto all = arguments;
        all.insert(all.end(), {"--jobs", jobs});
        return lab_run(all);
    };
    const auto one = with_jobs("1");
    const auto four = with_jobs("4");
    EXPECT_EQ(timeless(one.out), timeless(four.out));
    EXPECT_EQ(one.exit_code, four.exit_code);
    EXPECT_NE(one.out.find("arrives.toml packets=500 seed 3"), std::string::npos);
    EXPECT_NE(one.out.find("6 runs, 3 failed"), std::string::npos);
}

// The switch has no hardware detector: the run that needs one fails, the others succeed.
TEST(LabBatch, ARunThatCannotStartIsAFailure)
{
    const auto ended =
        lab_run({kStormScenario, "--sweep", "detected_by=device,petrel", "--set", "policy=sai", "--until", "1us"});
    EXPECT_EQ(ended.exit_code, 5);
    EXPECT_NE(ended.out.find("FAILED  "), std::string::npos);
    EXPECT_NE(ended.out.find("storm: s0: policy sai"), std::string::npos);
    EXPECT_NE(ended.out.find("once more: petrel lab run ../tests/golden/cli/input/lab/storm.toml "
                             "--set detected_by=device --set policy=sai --until 1us"),
              std::string::npos);
    EXPECT_NE(ended.out.find("2 runs, 1 failed"), std::string::npos);
}

TEST(LabBatch, JsonIsALineForEachRun)
{
    const auto ended = lab_run({kFails, "--all", "--json"});
    EXPECT_EQ(ended.exit_code, 5);
    EXPECT_EQ(ended.err, "petrel: 2 of 2 runs failed\n");
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 2);
    EXPECT_LT(ended.out.find(R"("most":"5")"), ended.out.find(R"("most":"10")"));
    EXPECT_NE(ended.out.find(R"("verdict":"failed")"), std::string::npos);
    EXPECT_NE(ended.out.find(R"("verdict":"met")"), std::string::npos);
}

// The printed command, run again, fails in the same way.
TEST(LabBatch, ThePrintedCommandFailsAgain)
{
    const auto ended = lab_run({kFails, kArrives});
    const std::string once_more = "once more: petrel lab run ";
    const auto at = ended.out.find(once_more);
    ASSERT_NE(at, std::string::npos);
    const auto begin = at + once_more.size();
    const auto again = lab_run({ended.out.substr(begin, ended.out.find('\n', at) - begin)});
    EXPECT_EQ(again.exit_code, 5);
    EXPECT_NE(again.out.find("failed"), std::string::npos);
}

}  // namespace
}  // namespace petrel::cli
