#include "cli/sonic_driver.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "device_sonic/on_switch.hpp"
#include "support/temporary_folder.hpp"

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

TEST(SonicDriver, OfSeveralAsicsLocalIsNone)
{
    const test::TemporaryFolder folder;
    SonicDriver driver{folder / "database_global.json"};
    EXPECT_TRUE(driver.expand(entry("", "sonic:local")));
    std::ofstream{folder / "database_global.json"}
        << R"({"INCLUDES": [{"include": "x"}, {"namespace": "asic0", "include": "y"}, {"namespace": "asic1"}]})";
    const auto several = driver.expand(entry("", "sonic:local"));
    ASSERT_FALSE(several);
    EXPECT_THAT(several.error().what, HasSubstr("several ASICs (asic0, asic1"));
    EXPECT_TRUE(driver.expand(entry("", "sonic:unix:///var/run/redis0/redis.sock")));
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
