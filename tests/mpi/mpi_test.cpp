// Several processes of mpirun print the same output as one process, to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "support/subprocess.hpp"

namespace petrel::test {
namespace {

const std::string kStorm = PETREL_TEST_DATA "/mpi/storm.toml";

Ended run_shared(unsigned processes, const std::vector<std::string>& arguments, std::string input = {})
{
    Invocation call{PETREL_MPIRUN, {"--oversubscribe", "--bind-to", "none", "-n", std::to_string(processes)}};
    call.arguments.emplace_back(PETREL_BIN_DIR "/petrel-mpi");
    call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
    call.input = std::move(input);
    call.environment = {
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},  // containers run as root
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
        {"OMPI_MCA_mpi_yield_when_idle", "1"},  // there are more processes than cores, and other tests run
        {"ASAN_OPTIONS", "detect_leaks=0"},     // MPI frees its memory only at exit
        {"TSAN_OPTIONS", "suppressions=" PETREL_TEST_DATA "/mpi/tsan.supp"},
    };
    return run(call);
}

Ended run_alone(const std::vector<std::string>& arguments)
{
    return run({.program = PETREL_BIN_DIR "/petrel", .arguments = arguments});
}

// Only the run time may differ.
std::string timeless(const std::string& text)
{
    return std::regex_replace(text, std::regex{"\"wall_ms\":[0-9]+"}, "\"wall_ms\":0");
}

TEST(Mpi, SeveralProcessesPrintTheOutputOfOne)
{
    const std::vector<std::string> arguments{"lab", "run", kStorm, "--json"};
    const auto alone = run_alone(arguments);
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_THAT(alone.out, testing::HasSubstr("storm_detected"));
    EXPECT_THAT(alone.out, testing::HasSubstr("storm_restored"));
    for (const unsigned processes : {2U, 3U}) {
        const auto shared = run_shared(processes, arguments);
        EXPECT_EQ(shared.exit_code, 0) << shared.err;
        EXPECT_EQ(timeless(shared.out), timeless(alone.out)) << processes << " processes";
    }
}

TEST(Mpi, OnlyTheFirstProcessReadsAndPrints)
{
    const auto text = "name = \"x\"\nduration = \"1ms\"\n[topology]\nkind = \"single-switch\"\nhosts = \"many\"\n";
    const auto refused = run_shared(2, {"lab", "run", "-"}, text);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.out, "");
    const auto at = refused.err.find("stdin:5");
    ASSERT_NE(at, std::string::npos) << refused.err;
    EXPECT_EQ(refused.err.find("stdin:5", at + 1), std::string::npos) << refused.err;

    EXPECT_EQ(run_shared(2, {"lab", "run", "/nowhere.toml"}).exit_code, 2);
    EXPECT_EQ(run_shared(2, {"lab", "run", kStorm, "--trace", "x.csv"}).exit_code, 2);
}

}  // namespace
}  // namespace petrel::test
