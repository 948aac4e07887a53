// A run that crashes names the command that repeats it.
#include "swarm/crash_note.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/assert.hpp"

namespace petrel::swarm {
namespace {

TEST(CrashNoteDeathTest, NamesTheRunOfAnAssertion)
{
    const auto crash = [] {
        const CrashNote outer{"petrel lab swarm --seed 16 --runs 1"};
        const CrashNote note{"petrel lab swarm --seed 17 --runs 1"};
        assertion_failed("x", "file", 1, "a test");
    };
    EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT),
                "cannot happen.*\n.*this run crashed: petrel lab swarm --seed 17 --runs 1");
}

TEST(CrashNoteDeathTest, NamesNoRunThatIsOver)
{
    const auto crash = [] {
        const CrashNote outer{"petrel lab swarm --seed 16 --runs 1"};
        {
            const CrashNote note{"petrel lab swarm --seed 17 --runs 1"};
        }
        std::abort();
    };
    EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT), "--seed 16");
}

}  // namespace
}  // namespace petrel::swarm
