// What stands behind "sai:" in the agent's configuration, and what becomes of it.
#include "cli/sai_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "device/manual_clock.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {
namespace {

using testing::HasSubstr;

struct Driving {
    cli::SaiDriver driver{[this](const std::string& words) { said.push_back(words); }};
    std::vector<std::string> said;
    device::ManualClock clock;

    std::string problem(const std::string& rest)
    {
        const auto expanded = driver.expand({"", "sai:" + rest, {}});
        return expanded ? "" : expanded.error().what;
    }
};

TEST(SaiDriver, ADeviceIsCalledAsItsLibraryIsUnlessItHasAName)
{
    Driving driving;
    const auto one = driving.driver.expand({"", "sai:/usr/lib/libsai.so,version=1.9", {}}).value();
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].name, "libsai");
    EXPECT_EQ(one[0].driver, "sai:/usr/lib/libsai.so,version=1.9");
    EXPECT_EQ(driving.driver.expand({"tor", "sai:libsai.so", {}}).value()[0].name, "tor");
}

TEST(SaiDriver, SaysWhatIsWrong)
{
    Driving driving;
    EXPECT_EQ(driving.problem(",version=1.9"), "sai:,version=1.9: the path of a library comes first");
    EXPECT_EQ(driving.problem("x.so,version=new"), "sai:x.so,version=new: version is 'new': as 1.9 or 1.9.1");
    EXPECT_EQ(driving.problem("x.so,version=1"), "sai:x.so,version=1: version is '1': as 1.9 or 1.9.1");
    EXPECT_EQ(driving.problem("x.so,version=1.9.1.2"),
              "sai:x.so,version=1.9.1.2: version is '1.9.1.2': as 1.9 or 1.9.1");
    EXPECT_EQ(driving.problem("x.so,profil=a"), "sai:x.so,profil=a: 'profil=a': profile=FILE or version=1.9");
    EXPECT_THAT(driving.problem("x.so,profile=/no/such/file"), HasSubstr("/no/such/file"));
}

TEST(SaiDriver, OpensALibraryWithItsProfile)
{
    const TemporaryFolder folder;
    const auto file = folder.path() / "sai.profile";
    std::ofstream{file} << "bad.ports=3\nbad.faults=no_state\n";
    Driving driving;
    const codec::DeviceEntry entry{"tor", "sai:" PETREL_BAD_LIBSAI ",profile=" + file.string(), {}};
    const auto device = driving.driver.open(entry, DeviceId{1}, driving.clock);
    ASSERT_TRUE(device) << device.error().what;
    EXPECT_EQ((*device)->inventory().ports.size(), 3U);
    EXPECT_THAT(driving.said, testing::Contains(HasSubstr("tor: get PFC_CONTINUOUS_DEADLOCK_STATE of a queue")));

    const auto twice = driving.driver.open(entry, DeviceId{2}, driving.clock);
    ASSERT_FALSE(twice);
    std::ofstream{file} << "bad.ports\n";
    EXPECT_THAT(driving.problem(PETREL_BAD_LIBSAI ",profile=" + file.string()), HasSubstr("sai.profile:1:1"));
}

TEST(SaiDriver, TakesAStatedVersion)
{
    Driving driving;
    const codec::DeviceEntry entry{"old", "sai:" PETREL_OLD_LIBSAI ",version=1.9", {}};
    EXPECT_TRUE(driving.driver.open(entry, DeviceId{1}, driving.clock));
    const codec::DeviceEntry unstated{"old", "sai:" PETREL_OLD_LIBSAI, {}};
    EXPECT_FALSE(driving.driver.open(unstated, DeviceId{1}, driving.clock));
}

}  // namespace
}  // namespace petrel::test
