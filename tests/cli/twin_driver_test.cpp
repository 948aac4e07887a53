// Devices of a twin in the agent's configuration.
#include "drivers/twin_driver.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "device/manual_clock.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::drivers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kFabric = R"(
name = "fabric"
duration = "1s"

[parameters]
leaves = 2

[topology]
kind = "leaf-spine"
leaves = "${leaves}"
spines = 1
hosts_per_leaf = 2
)";
constexpr std::string_view kWatched = R"(
[[policy]]
preset = "sonic"
devices = "leaf0..leaf1"

[[policy]]
preset = "rdma-nic"
devices = "h0"
)";

struct TwinDriverTest : testing::Test {
    std::string file(std::string_view name, std::string_view text)
    {
        const auto path = folder / name;
        std::ofstream{path} << text;
        return path.string();
    }
    // "name driver", or the error.
    std::vector<std::string> expanded(const std::string& name, const std::string& rest)
    {
        const auto entries = driver.expand({name, "twin:" + rest, {}});
        if (!entries) {
            return {entries.error().what};
        }
        std::vector<std::string> texts;
        for (const auto& entry : *entries) {
            texts.push_back(fmt::format("{} {}", entry.name, entry.driver));
        }
        return texts;
    }
    auto open(const std::string& rest, std::uint32_t id = 0)
    {
        return driver.open({"any", "twin:" + rest, {}}, DeviceId{id}, clock,
                           [](const std::string& note) { ADD_FAILURE() << note; });
    }

    petrel::test::TemporaryFolder folder;
    std::string fabric = file("fabric.toml", std::string{kFabric}.append(kWatched));
    device::ManualClock clock;
    TwinDriver driver;
};

TEST_F(TwinDriverTest, AFileMeansEverySwitchThatIsWatched)
{
    EXPECT_EQ(driver.kind(), "twin");
    EXPECT_THAT(expanded("", fabric), ElementsAre(fmt::format("leaf0 twin:{}#leaf0", fabric),  //
                                                  fmt::format("leaf1 twin:{}#leaf1", fabric)));
    EXPECT_THAT(expanded("lab", fabric), ElementsAre(fmt::format("lab-leaf0 twin:{}#leaf0", fabric),
                                                     fmt::format("lab-leaf1 twin:{}#leaf1", fabric)));
}

TEST_F(TwinDriverTest, ANodeMeansThatNodeWatchedOrNot)
{
    EXPECT_THAT(expanded("", fabric + "#spine0"), ElementsAre(fmt::format("spine0 twin:{}#spine0", fabric)));
    EXPECT_THAT(expanded("top", fabric + "#spine0"), ElementsAre(fmt::format("top twin:{}#spine0", fabric)));
    EXPECT_THAT(expanded("", fabric + "#h3"), ElementsAre(fmt::format("h3 twin:{}#h3", fabric)));
}

TEST_F(TwinDriverTest, ReportsInvalidEntries)
{
    EXPECT_THAT(expanded("", fabric + "#leaf9"),
                ElementsAre(fmt::format("{} has no node 'leaf9': the nearest is 'leaf0'", fabric)));
    const auto unwatched = file("unwatched.toml", kFabric);
    EXPECT_THAT(expanded("", unwatched), ElementsAre(fmt::format("{} has no switch with a [[policy]]: name the node, "
                                                                 "as {}#NODE",
                                                                 unwatched, unwatched)));
    const auto bad = file("bad.toml", "name = \"bad\"\nduration = 3\n");
    EXPECT_THAT(expanded("", bad), ElementsAre(HasSubstr(bad + ":2:12: ")));
    EXPECT_THAT(expanded("", bad), ElementsAre(HasSubstr("\n")));  // all problems of the file
    const auto fifo = (folder / "fifo").string();
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_THAT(driver.expand({"", "twin:" + fifo, {}}).error().what, HasSubstr(fifo))
        << "the driver does not wait for the FIFO";
    const auto missing = driver.expand({"", "twin:" + bad + ".not", {}});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::invalid);
}

TEST_F(TwinDriverTest, OpensDevicesOfOneFabric)
{
    const auto leaf = open(fabric + "#leaf0", 5);
    ASSERT_TRUE(leaf) << leaf.error().what;
    EXPECT_EQ((*leaf)->inventory().rows.front().target.port.device, DeviceId{5});
    const auto again = open(fabric + "#leaf0", 6);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().what, "leaf0 is in use already");
    EXPECT_TRUE(open(fabric + "#leaf1", 6));
    EXPECT_TRUE(open(fabric + "#h3", 7));
    EXPECT_FALSE(open(fabric + "#h4", 8));
    EXPECT_FALSE(open(fabric + ".not#h3", 8));
}

}  // namespace
}  // namespace petrel::drivers
