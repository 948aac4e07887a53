// `petrel device check` as a program: its lines and its exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/exec_driver.hpp"
#include "drivers/slingshot_driver.hpp"
#include "petrel_program.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::cli::test {
namespace {

using testing::HasSubstr;

const std::string kHelpers = (examples() / "helpers").string();

petrel::test::Ended device_check(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), {"device", "check"});
    return petrel::test::run(petrel(std::move(arguments)));
}

TEST(DeviceCheck, AConformingHelper)
{
    const auto ended = device_check({"exec:" + kHelpers + "/simulated_switch.py --ports 1", "--treat", "Ethernet0:3"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("ok       hello: 'simulated switch' speaks protocol 1, has 1 ports and 2 rows"));
    EXPECT_THAT(ended.out, HasSubstr("\nconforms: 15 checks passed, 0 skipped\n"));
}

TEST(DeviceCheck, AHelperThatBreaksARule)
{
    const auto ended =
        device_check({"exec:" PETREL_TEST_DATA "/device_exec/broken_helper.py " + kHelpers + " accepts_everything"});
    EXPECT_EQ(ended.exit_code, 5);
    EXPECT_THAT(ended.out, HasSubstr("\nFAILED   unknown call: the answer is a success"));
    EXPECT_THAT(ended.out, HasSubstr("\ndoes not conform: 3 of 15 checks failed\n"));
}

TEST(DeviceCheck, AHelperWithSlingshotsRegisters)
{
    const petrel::test::TemporaryFolder folder;
    const auto ended = device_check(
        {"slingshot:exec:" PETREL_TEST_DATA "/device_slingshot/registers_helper.py " + (folder / "registers").string(),
         "--treat", "Ethernet0"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out,
                HasSubstr("ok       hello: 'registers' speaks protocol 1, has 2 ports, of them 2 edge ports"));
    EXPECT_THAT(ended.out, HasSubstr("\nconforms: 12 checks passed, 0 skipped\n"));
}

TEST(ExecDriver, SplitsItsEntryIntoWords)
{
    const auto words = drivers::exec_words(R"(exec:/bin/x  'a b' "it's" c'd e'f "")");
    ASSERT_TRUE(words) << words.error().what;
    EXPECT_THAT(*words, testing::ElementsAre("/bin/x", "a b", "it's", "cd ef", ""));
}

TEST(ExecDriver, NamesADeviceAfterItsProgram)
{
    drivers::ExecDriver driver;
    EXPECT_EQ(driver.expand({"", "exec:/usr/lib/petrel/switch.py --host sw1", {}})->front().name, "switch");
    EXPECT_EQ(driver.expand({"tor", "exec:/usr/lib/petrel/switch.py", {}})->front().name, "tor");
}

TEST(SlingshotDriver, HasAProgramAsExecHas)
{
    drivers::SlingshotDriver driver;
    EXPECT_THAT(*drivers::exec_words("slingshot:exec:/bin/x a"), testing::ElementsAre("/bin/x", "a"));
    EXPECT_EQ(driver.expand({"", "slingshot:exec:/usr/lib/petrel/rossw.py", {}})->front().name, "rossw");
    EXPECT_FALSE(driver.check({"", "slingshot:exec:rossw.py", {}}));
    const auto other = driver.check({"", "slingshot:/dev/rossw0", {}});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().what, "slingshot:/dev/rossw0: '/dev/rossw0' is not known: write exec:PROGRAM [ARGUMENTS]");
}

TEST(DeviceCheck, AWrongCommandLine)
{
    EXPECT_EQ(device_check({}).exit_code, 2);
    EXPECT_EQ(device_check({"sai:/usr/lib/libsai.so"}).exit_code, 2);
    const auto relative = device_check({"exec:helper.py"});
    EXPECT_EQ(relative.exit_code, 2);
    EXPECT_THAT(relative.err, HasSubstr("'helper.py' depends on the folder that the agent is started in"));
    EXPECT_THAT(device_check({"exec:"}).err, HasSubstr("the path of a program comes first"));
    EXPECT_THAT(device_check({"exec:/bin/sh 'x"}).err, HasSubstr("the quote ' is not closed"));
}

}  // namespace
}  // namespace petrel::cli::test
