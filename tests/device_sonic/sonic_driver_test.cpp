#include "drivers/sonic_driver.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "device_sonic/on_switch.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::drivers {
namespace {

using testing::HasSubstr;

config::DeviceEntry entry(const std::string& name, const std::string& driver)
{
    config::DeviceEntry made;
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
    EXPECT_THAT(wrong.error().what,
                HasSubstr("'sonic:nowhere': allowed sonic:local, sonic:unix:///path, sonic:tcp://host:port"));
    const auto bad_address = driver.expand(entry("", "sonic:nowhere://x"));
    ASSERT_FALSE(bad_address);
    EXPECT_THAT(bad_address.error().what, HasSubstr("unix:///path or tcp://host:port"));
}

TEST(SonicDriver, LocalIsEveryAsicWithItsOwnDatabases)
{
    const test::TemporaryFolder folder;
    SonicDriver driver{folder / "database_global.json"};
    EXPECT_EQ(driver.expand(entry("", "sonic:local")).value().size(), 1U) << "there is no such file";
    std::ofstream{folder / "database_global.json"}
        << R"({"INCLUDES": [{"include": "x"}, {"namespace": "asic0", "include": "redis0.json"},
               {"namespace": "asic1", "include": "redis1.json"}]})";
    const auto early = driver.expand(entry("", "sonic:local"));
    ASSERT_FALSE(early);
    EXPECT_THAT(early.error().what, HasSubstr("the databases of asic0 are not known yet"));
    for (const std::string number : {"0", "1"}) {
        std::ofstream{folder / ("redis" + number + ".json")}
            << R"({"INSTANCES": {"redis": {"unix_socket_path": "/run/redis)" << number
            << R"(/redis.sock"}}, "DATABASES": {"CONFIG_DB": {"id": 4, "instance": "redis"}}})";
    }
    const auto several = driver.expand(entry("", "sonic:local")).value();
    ASSERT_EQ(several.size(), 2U);
    EXPECT_EQ(several[0].name, "asic0");
    EXPECT_EQ(several[1].driver, "sonic:asic1");
    EXPECT_EQ(driver.expand(entry("tor7", "sonic:local")).value()[1].name, "tor7-asic1");
    EXPECT_EQ(driver.databases_of(several[1]).value().at(sonic::Db::config).address.path, "/run/redis1/redis.sock");
    EXPECT_EQ(driver.expand(entry("", "sonic:asic1")).value()[0].name, "asic1");
    const auto none = driver.expand(entry("", "sonic:asic7"));
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().what, HasSubstr("or one of asic0, asic1"));
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
}  // namespace petrel::drivers
