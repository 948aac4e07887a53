#include "drivers/linux/linux_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device_linux/fake_kernel.hpp"

namespace petrel::drivers {
namespace {

using testing::HasSubstr;

class LinuxDriverTest : public testing::Test {
protected:
    device::ManualClock clock_;
    test::FakeNic nic_{clock_};
    LinuxDriver driver_{[this]() -> Result<std::unique_ptr<device::linux_nic::Kernel>> {
        return std::make_unique<test::FakeKernel>(nic_);
    }};
};

TEST_F(LinuxDriverTest, OneInterfaceIsOneDevice)
{
    const auto unnamed = driver_.expand({"", "linux:ens1f0np0", {}});
    ASSERT_EQ(unnamed->size(), 1U);
    EXPECT_EQ(unnamed->front().name, "ens1f0np0");
    EXPECT_EQ(driver_.expand({"storage", "linux:ens1f0np0", {}})->front().name, "storage");
}

TEST_F(LinuxDriverTest, AllIsEveryInterfaceWithAKnownDriver)
{
    const auto all = driver_.expand({"", "linux:all", {}});
    ASSERT_EQ(all->size(), 1U);
    EXPECT_EQ(all->front().name, "eth0");
    EXPECT_EQ(all->front().driver, "linux:eth0");
    const auto opened = driver_.open(all->front(), DeviceId{0}, clock_, [](const std::string&) {});
    ASSERT_TRUE(opened) << opened.error().what;
    EXPECT_EQ((*opened)->inventory().ports.front().name, "eth0");

    nic_.driver = "e1000e";
    const auto none = driver_.expand({"", "linux:all", {}});
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().what, HasSubstr("none of the 2 network interfaces"));
}

// The note appears in the log and in the status.
TEST_F(LinuxDriverTest, ReportsWhatItsThreadMayNotDo)
{
    const auto open_kernel = [this]() -> Result<std::unique_ptr<device::linux_nic::Kernel>> {
        return std::make_unique<test::FakeKernel>(nic_);
    };
    const auto notes_with = [&](const std::string& missing) {
        std::vector<std::string> notes;
        LinuxDriver driver{open_kernel, [&] { return missing; }};
        EXPECT_TRUE(driver.open({"", "linux:eth0", {}}, DeviceId{0}, clock_,
                                [&](const std::string& note) { notes.push_back(note); }));
        return notes;
    };
    EXPECT_THAT(notes_with("no real-time priority"), testing::Contains("no real-time priority"));
    EXPECT_THAT(notes_with(""), testing::IsEmpty());
}

TEST_F(LinuxDriverTest, ChecksNames)
{
    EXPECT_TRUE(driver_.check({"", "linux:eth0", {}}));
    for (const auto* wrong : {"linux:", "linux", "linux:eth0,eth1", "linux:../x", "linux:a-name-that-is-too-long"}) {
        EXPECT_FALSE(driver_.check({"", wrong, {}})) << wrong;
    }
}

TEST_F(LinuxDriverTest, AnInterfaceThatDoesNotExistCannotBeOpened)
{
    EXPECT_FALSE(driver_.open({"", "linux:eth7", {}}, DeviceId{0}, clock_, [](const std::string&) {}));
}

}  // namespace
}  // namespace petrel::drivers
