// Plays every session in tests/golden/sonic and compares it byte for byte.
#include "sonic_tools/transcript.hpp"

namespace petrel::sonic_tools {
namespace {

class Transcript : public testing::TestWithParam<const char*> {};

TEST_P(Transcript, EqualsSonicsOutput)
{
    PETREL_NEEDS_REDIS();
    const auto file = test::golden(fmt::format("sonic/{}.txt", GetParam()));
    test::expect_golden(file, Bench{}.play(test::content(file)));
}

INSTANTIATE_TEST_SUITE_P(Sonic, Transcript,
                         testing::Values("pfcwd_show", "pfcwd_start", "pfcwd_config", "pfcwd_interval", "pfcwd_nonroot",
                                         "pfcwd_mending", "pfcwd_missing", "mmuconfig", "pfc", "pfcstat"),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace petrel::sonic_tools
