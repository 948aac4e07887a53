// Which ports a command applies to: internal ports, ports with a neighbour, and the number of ports.
#include <gmock/gmock.h>

#include "sonic_tools/transcript.hpp"

namespace petrel::sonic_tools {
namespace {

using sonic::Db;
using sonic::Hash;
using testing::HasSubstr;
using testing::Not;

class Ports : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        bench_.emplace();
    }
    Bench& bench() { return *bench_; }
    Hash config(const std::string& key) { return bench_->hash(Db::config, key); }

    // Adds a port with lossless priorities that is watched.
    void add_port(const std::string& name, const Hash& port)
    {
        bench().set(Db::config, "PORT|" + name, port);
        bench().set(Db::config, "PORT_QOS_MAP|" + name, {{"pfc_enable", "3,4"}, {"pfcwd_sw_enable", "3,4"}});
        bench().set(Db::config, "PFC_WD|" + name, {{"detection_time", "400"}, {"restoration_time", "400"}});
        auto ids = bench().hash(Db::counters, "COUNTERS_PORT_NAME_MAP");
        ids[name] = "oid:" + name;
        bench().set(Db::counters, "COUNTERS_PORT_NAME_MAP", ids);
        bench().set(Db::counters, "COUNTERS:oid:" + name + "Q3", {{"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1"}});
        auto queues = bench().hash(Db::counters, "COUNTERS_QUEUE_NAME_MAP");
        queues[name + ":3"] = "oid:" + name + "Q3";
        bench().set(Db::counters, "COUNTERS_QUEUE_NAME_MAP", queues);
    }

    // Detection time, restoration time and polling interval after `start_default` on a switch with this many ports, of
    // which two are started.
    std::vector<std::string> defaults(int ports)
    {
        EXPECT_EQ(bench().run("pfcwd stop").exit_code, 0);
        for (int i = 3; i < ports; ++i) {  // the bench has three
            bench().set(Db::config, fmt::format("PORT|Ethernet{}", 1000 + i), {{"admin_status", "down"}});
        }
        EXPECT_EQ(bench().run("pfcwd start_default").exit_code, 0);
        const auto entry = config("PFC_WD|Ethernet0");
        return {entry.at("detection_time"), entry.at("restoration_time"), config("PFC_WD|GLOBAL").at("POLL_INTERVAL")};
    }

private:
    std::optional<Bench> bench_;
};

// On one ASIC SONiC's tools show ports of every role.
TEST_F(Ports, PortsOfEveryRoleAreShownByDefault)
{
    add_port("Ethernet-BP0", {{"admin_status", "up"}, {"role", "Int"}});
    add_port("Ethernet-Rec0", {{"admin_status", "up"}, {"role", "Rec"}});
    add_port("Ethernet12", {{"admin_status", "up"}, {"role", "Ext"}});
    for (const auto* line : {"pfcwd show config", "pfcwd show stats"}) {
        const auto front = bench().run(fmt::format("{} -d frontend", line)).out;
        EXPECT_THAT(front, HasSubstr("Ethernet12")) << line;
        EXPECT_THAT(front, Not(HasSubstr("Ethernet-"))) << line;
        const auto all = bench().run(line).out;
        EXPECT_THAT(all, HasSubstr("Ethernet12")) << line;
        EXPECT_THAT(all, HasSubstr("Ethernet-BP0")) << line;
        EXPECT_THAT(all, HasSubstr("Ethernet-Rec0")) << line;
        EXPECT_EQ(bench().run(fmt::format("{} -d all", line)).out, all) << line;
    }
    EXPECT_THAT(bench().run("pfcwd show config Ethernet-BP0 -d frontend").out, HasSubstr("Ethernet-BP0"))
        << "a port that is named is shown";
}

TEST_F(Ports, PortsOfEveryRoleAreCheckedForStorms)
{
    bench().set(Db::counters, "COUNTERS:oid:0x15000000000003", {{"PFC_WD_STATUS", "operational"}});
    EXPECT_EQ(bench().run("pfcwd show stats --check-storm").exit_code, 0);
    for (const auto* role : {"Int", "Inb", "Rec", "Dpc"}) {
        const auto name = fmt::format("Ethernet-{}0", role);
        add_port(name, {{"admin_status", "up"}, {"role", role}});
        bench().set(Db::counters, fmt::format("COUNTERS:oid:{}Q3", name), {{"PFC_WD_STATUS", "stormed"}});
        EXPECT_EQ(bench().run("pfcwd show stats --check-storm").exit_code, 1) << role;
        bench().set(Db::counters, fmt::format("COUNTERS:oid:{}Q3", name), {{"PFC_WD_STATUS", "operational"}});
    }
}

TEST_F(Ports, InsideOfTheBoxAreStartedByDefaultIfTheyAreUp)
{
    add_port("Ethernet-BP0", {{"admin_status", "up"}, {"role", "Int"}});
    add_port("Ethernet-BP4", {{"admin_status", "down"}, {"role", "Int"}});
    add_port("Ethernet12", {{"admin_status", "up"}, {"role", "Ext"}});
    EXPECT_EQ(bench().run("pfcwd stop").exit_code, 0);
    EXPECT_EQ(bench().run("pfcwd start_default").exit_code, 0);
    EXPECT_FALSE(config("PFC_WD|Ethernet-BP0").empty());
    EXPECT_TRUE(config("PFC_WD|Ethernet-BP4").empty());
    EXPECT_TRUE(config("PFC_WD|Ethernet12").empty()) << "Ethernet12 has no neighbour";
}

TEST_F(Ports, StartDefaultNeedsTheDeviceMetadata)
{
    for (const Hash& metadata : {Hash{{"hostname", "sw1"}}, Hash{{"default_pfcwd_status", "disable"}}}) {
        EXPECT_EQ(bench().run("pfcwd stop").exit_code, 0);
        bench().set(Db::config, "DEVICE_METADATA|localhost", metadata);
        EXPECT_EQ(bench().run("pfcwd start_default"), (Outcome{"", "", 0}));
        EXPECT_TRUE(config("PFC_WD|Ethernet0").empty());
    }
    bench().set(Db::config, "DEVICE_METADATA|localhost", {{"default_pfcwd_status", "Enable"}});
    EXPECT_EQ(bench().run("pfcwd start_default").exit_code, 0);
    EXPECT_FALSE(config("PFC_WD|Ethernet0").empty());
}

TEST_F(Ports, MakeDefaultTimesLonger)
{
    using Times = std::vector<std::string>;
    EXPECT_EQ(defaults(3), (Times{"200", "200", "200"}));
    EXPECT_EQ(defaults(32), (Times{"200", "200", "200"}));
    EXPECT_EQ(defaults(33), (Times{"400", "400", "400"}));
    EXPECT_EQ(defaults(64), (Times{"400", "400", "400"}));
    EXPECT_EQ(defaults(161), (Times{"1200", "1200", "1000"}));
    EXPECT_EQ(defaults(256), (Times{"1600", "1600", "1000"}));
    EXPECT_EQ(defaults(512), (Times{"3200", "3200", "1000"}));
}

}  // namespace
}  // namespace petrel::sonic_tools
