#include "daemon/sonic/device_ports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sonic/server_ports.hpp"
#include "support/memory_store.hpp"

namespace petrel::daemon {
namespace {

using sonic::Db;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;

class DevicePortsTest : public testing::Test {
protected:
    // A device reports port Ethernet0 with queues 3, 4 and 5, of which these are lossless.
    void report(const std::set<unsigned>& lossless, bool host_facing = false)
    {
        std::vector<control::QueueReport> queues(3);
        for (std::size_t i = 0; i != queues.size(); ++i) {
            queues[i].port = "Ethernet0";
            queues[i].priority = static_cast<std::uint8_t>(3 + i);
            queues[i].lossless = lossless.contains(*queues[i].priority);
            queues[i].host_facing = host_facing;
        }
        EXPECT_TRUE(ports_.update(store_, queues));
    }
    sonic::Hash& entry() { return store_.content[Db::config]["PORT_QOS_MAP|Ethernet0"]; }
    std::string lossless() { return entry()["pfc_enable"]; }
    std::string watched() { return entry()["pfcwd_sw_enable"]; }
    sonic::Hash servers() { return store_.content[Db::state][sonic::kServerPortsKey]; }

    test::MemoryStore store_;
    DevicePorts ports_;
};

TEST_F(DevicePortsTest, TheFirstEntryHasThePrioritiesThatAreLosslessOnTheDevice)
{
    report({3, 4});
    EXPECT_EQ(lossless(), "3,4");
    EXPECT_EQ(watched(), "3,4");
    EXPECT_EQ(store_.content[Db::config]["PORT|Ethernet0"]["alias"], "Ethernet0");
}

TEST_F(DevicePortsTest, APriorityThatBecomesLosslessIsAdded)
{
    report({});
    EXPECT_EQ(lossless(), "");
    report({3});
    EXPECT_EQ(lossless(), "3");
    report({3, 5});
    EXPECT_EQ(lossless(), "3,5");
    EXPECT_EQ(watched(), "3,5");
}

TEST_F(DevicePortsTest, APriorityThatTheOperatorDeclaredLossyStaysLossy)
{
    report({3, 4});
    entry() = {{"pfc_enable", "3"}, {"pfcwd_sw_enable", "3"}};
    report({3, 4});
    EXPECT_EQ(lossless(), "3");
    report({3, 4, 5});
    EXPECT_EQ(lossless(), "3,5");
}

// A treatment that a killed agent left behind may have switched PFC off: the queue must stay watched.
TEST_F(DevicePortsTest, NoPriorityIsLost)
{
    report({3, 4});
    report({4});
    EXPECT_EQ(lossless(), "3,4");
    report({3, 4});
    EXPECT_EQ(lossless(), "3,4");
}

TEST_F(DevicePortsTest, EntriesOfAnOperatorAndOfEarlierVersionsStay)
{
    store_.content[Db::config]["PORT|Ethernet0"] = {{"alias", "Ethernet0"}};
    entry() = {{"pfc_enable", "3,4,5"}, {"pfcwd_sw_enable", "3,4,5"}};
    report({3});
    EXPECT_EQ(lossless(), "3,4,5");
    entry() = {{"pfc_enable", "4"}, {"pfcwd_sw_enable", "4"}};
    report({3});
    EXPECT_EQ(lossless(), "4");
}

TEST_F(DevicePortsTest, ListsThePortsThatFaceServers)
{
    report({3}, true);
    EXPECT_THAT(servers(), ElementsAre(Key("Ethernet0")));
    report({3}, false);
    EXPECT_THAT(servers(), IsEmpty());
}

}  // namespace
}  // namespace petrel::daemon
