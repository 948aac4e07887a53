#include "cli/sonic_driver.hpp"

#include <gmock/gmock.h>

#include "device_sonic/on_switch.hpp"

namespace petrel::cli {
namespace {

using testing::HasSubstr;

codec::DeviceEntry entry(const std::string& name, const std::string& driver)
{
    codec::DeviceEntry made;
    made.name = name;
    made.driver = driver;
    return made;
}

TEST(SonicDriver, AnEntryHasANameAndItsAddressIsChecked)
{
    SonicDriver driver;
    EXPECT_EQ(driver.expand(entry("", "sonic:unix:///run/redis.sock")).value().at(0).name, "sonic");
    EXPECT_EQ(driver.expand(entry("tor7", "sonic:tcp://127.0.0.1:6379")).value().at(0).name, "tor7");
    const auto wrong = driver.expand(entry("", "sonic:nowhere"));
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().what, HasSubstr("unix:///path or tcp://host:port"));
}

TEST(SonicDriver, OpensTheSwitchThatTheEntryNames)
{
    PETREL_NEEDS_REDIS();
    const test::OnSwitch on;
    SonicDriver driver;
    const auto device = driver.open(entry("tor7", "sonic:" + to_text(on.server_.address())), DeviceId{1}, on.clock_,
                                    [](const auto&) {});
    ASSERT_TRUE(device) << device.error().what;
    EXPECT_EQ((*device)->inventory().rows.size(), 4U);
}

}  // namespace
}  // namespace petrel::cli
