// Which libraries are accepted and which are refused, with which messages, and that no table is read past its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/complaint_text.hpp"
#include "sai/bench.hpp"
#include "watchdog/intake.hpp"

namespace petrel::test {
namespace {

using testing::HasSubstr;
using watchdog::Field;

TEST(SaiLibrary, AFileThatIsNoLibraryIsRefused)
{
    SaiBench bench;
    const auto missing = bench.open("", {}, "no/such/libsai.so");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().what, HasSubstr("no/such/libsai.so"));
    const auto other = bench.open("", {}, "libm.so.6");
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().what, HasSubstr("is no SAI library"));
}

TEST(SaiLibrary, ATooOldOneIsRefusedWithItsVersion)
{
    SaiBench bench;
    const auto opened = bench.open("", {{"bad.version", "10803"}});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().what, "the library is of version 1.8.3; 1.9.0 is the oldest that can be used");
}

TEST(SaiLibrary, ALibraryWithoutAVersionNeedsAStatedOne)
{
    SaiBench bench;
    const auto unasked = bench.open("", {}, PETREL_OLD_LIBSAI);
    ASSERT_FALSE(unasked);
    EXPECT_THAT(unasked.error().what, HasSubstr("version=1.9"));
    const auto wrong = bench.open("", {}, PETREL_OLD_LIBSAI, 11200);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().what, HasSubstr("1.12.0 was stated"));

    ASSERT_TRUE(bench.open("", {}, PETREL_OLD_LIBSAI, 10900));
    EXPECT_FALSE(has(bench.device->capabilities().fields, Field::pause_state));
    EXPECT_TRUE(has(bench.device->capabilities().fields, Field::paused_now));
    EXPECT_EQ(bench.queue(0, 0).state_reads, 0U);
    EXPECT_TRUE(bench.noted("older than 1.10"));
    EXPECT_TRUE(bench.noted("the switch's is used"));  // no packet action per queue either
}

TEST(SaiLibrary, TheReportedVersionOverridesTheStatedOne)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("", {}, PETREL_BAD_LIBSAI, 10900));
    EXPECT_TRUE(bench.noted("reports version 1.18.1, which is used instead of the stated 1.9.0"));
    EXPECT_TRUE(has(bench.device->capabilities().fields, Field::pause_state));
}

// For older versions the bad library has a function beyond the end that aborts the process.
TEST(SaiLibrary, NoMethodIsCalledPastTheEndOfItsTable)
{
    SaiBench bench;
    for (const auto* version : {"10900", "11002", "11303", "11499"}) {
        ASSERT_TRUE(bench.open("", {{"bad.version", version}}));
        watchdog::Intake intake{bench.device->inventory(), bench.device->capabilities()};
        EXPECT_TRUE(bench.device->look({}, intake));
        EXPECT_TRUE(intake.view().all);
    }
    ASSERT_TRUE(bench.open("", {{"bad.version", "11500"}}));
    watchdog::Intake intake{bench.device->inventory(), bench.device->capabilities()};
    EXPECT_TRUE(bench.device->look({}, intake));
    EXPECT_EQ(bench.model->bulk_reads, 2U);  // the first one tests whether bulk reads work
}

TEST(SaiLibrary, IsOpenOnceInAProcess)
{
    SaiBench first;
    ASSERT_TRUE(first.open(""));
    SaiBench second;
    const auto again = second.open("");
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().what, HasSubstr("open in this process already"));
    first.device.reset();
    EXPECT_TRUE(second.open(""));
}

TEST(SaiLibrary, AFailureLeavesNothingBehind)
{
    SaiBench bench;
    for (const auto& [fault, words] : std::map<std::string, std::string>{
             {"initialize_fails", "sai_api_initialize: FAILURE (-1)"},
             {"create_fails", "create the switch: FAILURE (-1)"},
             {"gives_no_switch", "the library reported success for create_switch but returned no switch"}}) {
        const auto opened = bench.open(fault);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().what, words);
        EXPECT_TRUE(bench.open(""));
    }
    const auto empty = bench.open("", {{"bad.ports", "0"}});
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().what, "none of the switch's 0 ports has a queue");
}

// The library also prints the problem once on stderr: problems of a profile are not reported by callbacks.
TEST(SaiLibrary, TheLibrarysErrorTextIsQuoted)
{
    SaiBench bench;
    const auto problem = [&](const std::string& key, const std::string& value) {
        testing::internal::CaptureStderr();
        const auto opened = bench.open("", {{key, value}}, PETREL_BIN_DIR "/../lib/libsai-petrel.so");
        const auto output = testing::internal::GetCapturedStderr();
        EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
        return opened ? "" : opened.error().what;
    };
    EXPECT_THAT(problem("petrel.scenario", "/no/such/file"),
                AllOf(HasSubstr("create the switch: FAILURE (-1); "), HasSubstr("/no/such/file")));
    EXPECT_EQ(problem("petrel.device", "s7"),
              "create the switch: INVALID_PARAMETER (-5); petrel.device is 's7': the scenario's switches are s0");
    EXPECT_EQ(problem("petrel.devise", "s0"), "create the switch: INVALID_PARAMETER (-5); 'petrel.devise' is no key: "
                                              "the nearest is 'petrel.device'");
}

TEST(SaiLibrary, TheProfileSelectsAttachOrCreate)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open(""));
    EXPECT_FALSE(bench.model->attached);
    ASSERT_TRUE(bench.open("", {{"petrel.attach", "true"}}));
    EXPECT_TRUE(bench.model->attached);
    const auto nonsense = bench.open("", {{"petrel.attach", "maybe"}});
    ASSERT_FALSE(nonsense);
    EXPECT_EQ(nonsense.error().what, "profile: petrel.attach is 'maybe': true or false");
}

TEST(SaiLibrary, CallbacksMayBeRefusedAtFirstOrAltogether)
{
    SaiBench bench;
    ASSERT_TRUE(bench.open("refuses_callbacks_at_create"));
    EXPECT_NE(bench.model->on_deadlock, nullptr);
    EXPECT_NE(bench.model->on_port_state, nullptr);
    ASSERT_TRUE(bench.open("refuses_callbacks_at_create,refuses_callbacks"));
    EXPECT_EQ(bench.model->on_deadlock, nullptr);
    EXPECT_TRUE(bench.noted("set QUEUE_PFC_DEADLOCK_NOTIFY of the switch: NOT_SUPPORTED (-2); the library cannot "
                            "report storms that it detects itself"));
}

TEST(SaiProfile, IsLinesOfKeysAndValues)
{
    const auto read = device::sai::parse_profile("# a comment\n\n SAI_INIT = /etc/x.xml \nempty=\nlast=1", "p");
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, (device::sai::Profile{{"SAI_INIT", "/etc/x.xml"}, {"empty", ""}, {"last", "1"}}));
    const auto wrong = device::sai::parse_profile("a=1\nno value\n=2\n", "p");
    ASSERT_FALSE(wrong);
    ASSERT_EQ(wrong.error().size(), 2U);
    EXPECT_EQ(wrong.error()[0].line, 2U);
    EXPECT_EQ(wrong.error()[1].line, 3U);
}

TEST(SaiProfile, DuplicateAndMisspeltKeysAreReported)
{
    const auto wrong = device::sai::parse_profile("a=1\npetrel.attatch=true\na=2\npetrel.device=s0\n", "p");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(to_text(wrong.error(), "\n"),
              "p:2:1: value 'petrel.attatch': allowed a known key, the nearest is 'petrel.attach'\n"
              "p:3:1: value 'a': allowed each key once");
}

}  // namespace
}  // namespace petrel::test
