// Processes that mpirun starts come to what one process comes to, to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/subprocess.hpp"

namespace petrel::test {
namespace {

std::string story(unsigned processes)
{
    Invocation call{PETREL_MPIRUN, {"--oversubscribe", "--bind-to", "none", "-n", std::to_string(processes)}};
    call.arguments.emplace_back(PETREL_MPI_STORY);
    call.environment = {
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},  // containers are root
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
        {"OMPI_MCA_mpi_yield_when_idle", "1"},  // there are more processes than cores, and other tests
        {"ASAN_OPTIONS", "detect_leaks=0"},     // MPI keeps what it has until the end
    };
    const auto ended = run(call);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.out;
}

TEST(Mpi, ProcessesTellOneStory)
{
    const auto alone = story(1);
    EXPECT_THAT(alone, testing::HasSubstr("storm_detected"));
    EXPECT_THAT(alone, testing::HasSubstr("storm_restored"));
    EXPECT_EQ(story(2), alone);
    EXPECT_EQ(story(3), alone);
}

}  // namespace
}  // namespace petrel::test
