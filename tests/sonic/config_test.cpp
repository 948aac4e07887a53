#include "sonic/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interrupted_store.hpp"
#include "support/memory_store.hpp"

namespace petrel::sonic {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SonicConfig : public ::testing::Test {
protected:
    SonicConfig()
    {
        for (const std::string name : {"Ethernet0", "Ethernet4"}) {
            table()["PORT|" + name] = {{"speed", "400000"}};
            table()["PORT_QOS_MAP|" + name] = {{"pfc_enable", "3,4"}, {"pfcwd_sw_enable", "3,4"}};
        }
        table()["PFC_WD|GLOBAL"] = {{"POLL_INTERVAL", "200"}};
    }

    std::map<std::string, Hash>& table() { return store_.content[Db::config]; }
    Config read(Role role = Role::detector) { return read_config(store_, role).value(); }
    std::string problem()
    {
        const auto config = read();
        EXPECT_EQ(config.problems.size(), 1U);
        EXPECT_THAT(config.policies.policies, IsEmpty()) << "the invalid entry is not in force";
        return config.problems.empty() ? "" : config.problems.front();
    }

    test::MemoryStore store_;
};

TEST_F(SonicConfig, AValueThatIsTooLongIsRefusedByNameAndSize)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", std::string(100'000'000, '9')}};
    const auto text = problem();
    EXPECT_THAT(text, HasSubstr("PFC_WD|Ethernet0: detection_time is '" + std::string(256, '9') +
                                "… and 99999744 more bytes': "));
    EXPECT_LT(text.size(), 600U);
}

TEST_F(SonicConfig, AnOwnerWatchesLosslessPrioritiesOnly)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}};
    table()["PORT_QOS_MAP|Ethernet0"]["pfc_enable"] = "4";
    EXPECT_EQ(read(Role::owner).policies.policies.at(0).policy.priorities, 0b10000);
    EXPECT_EQ(read(Role::detector).policies.policies.at(0).policy.priorities, 0b11000) << "orchagent decides";
    table()["PORT_QOS_MAP|Ethernet0"]["pfc_enable"] = "";
    const auto none = read(Role::owner);
    EXPECT_THAT(none.policies.policies, IsEmpty());
    EXPECT_THAT(none.problems, ElementsAre("PFC_WD|Ethernet0: no priority that is watched is lossless: "
                                           "PORT_QOS_MAP|Ethernet0 has pfc_enable '' and pfcwd_sw_enable '3,4'"));
    table()["PORT_QOS_MAP|Ethernet0"]["pfc_enable"] = "nonsense";
    EXPECT_EQ(read(Role::owner).policies.policies.at(0).policy.priorities, 0b11000) << "a typing error ends no watch";
    table()["PORT_QOS_MAP|Ethernet0"].erase("pfc_enable");
    EXPECT_EQ(read(Role::owner).policies.policies.at(0).policy.priorities, 0b11000);
}

TEST_F(SonicConfig, ManyProblemsAreCounted)
{
    for (int i = 0; i != 200'000; ++i) {
        table()["PFC_WD|Ethernet" + std::to_string(1'000'000 + i)] = {{"detection_time", "400"}};
    }
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}};
    const auto config = read();
    EXPECT_EQ(config.problem_count, 200'000U);
    EXPECT_EQ(config.problems.size(), kMostProblems);
    EXPECT_EQ(concern(config), "PFC_WD|Ethernet1000000: there is no such port (and 199999 more)");
    ASSERT_EQ(config.policies.policies.size(), 1U) << "the good one is in force";
}

TEST_F(SonicConfig, IsReadAsPolicies)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "2000"}, {"action", "forward"}};
    const auto config = read();
    EXPECT_THAT(config.problems, IsEmpty());
    EXPECT_EQ(config.ports.front(), (PortConfig{"Ethernet0", {400'000'000'000}, 0x18, 0x18}));
    ASSERT_EQ(config.policies.policies.size(), 1U);
    const auto& [policy, ports, others, device] = config.policies.policies.front();
    EXPECT_EQ(policy.name, "pfcwd-forward-400-2000");
    EXPECT_EQ(policy.criterion, watchdog::Criterion::continuous);
    EXPECT_EQ(policy.action, watchdog::Treatment::ignore_pause);
    EXPECT_EQ(policy.detect, std::chrono::milliseconds{400});
    EXPECT_EQ(policy.restore, std::chrono::milliseconds{2000});
    EXPECT_EQ(policy.poll, std::chrono::milliseconds{50}) << "a quarter of syncd's interval";
    EXPECT_EQ(read(Role::owner).policies.policies.front().policy.poll, std::chrono::milliseconds{200});
    EXPECT_EQ(policy.release, watchdog::Release::quiet);
    EXPECT_EQ(policy.priorities, 0x18);
    ASSERT_EQ(ports.size(), 1U);
    EXPECT_EQ(ports.front().name, "Ethernet0");
}

TEST_F(SonicConfig, HistoryIsKeptForPortsWithAValidEntry)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"pfc_stat_history", "enable"}};
    table()["PFC_WD|Ethernet4"] = {{"detection_time", "400"}, {"pfc_stat_history", "disable"}};
    EXPECT_TRUE(read().ports.front().history);
    EXPECT_FALSE(read().ports.back().history);
    table()["PFC_WD|Ethernet0"]["detection_time"] = "50";
    EXPECT_FALSE(read().ports.front().history);
}

TEST_F(SonicConfig, PortsThatAreTreatedAlikeShareAPolicy)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "400"}};
    table()["PFC_WD|Ethernet4"] = table()["PFC_WD|Ethernet0"];
    EXPECT_EQ(read().policies.policies.size(), 1U);
    EXPECT_EQ(read().policies.policies.front().ports.size(), 2U);
    table()["PORT_QOS_MAP|Ethernet4"]["pfcwd_sw_enable"] = "3";
    EXPECT_EQ(read().policies.policies.size(), 2U);
    table()["PORT_QOS_MAP|Ethernet4"]["pfcwd_sw_enable"] = "3,4";
    table()["PFC_WD|Ethernet4"]["action"] = "alert";
    EXPECT_EQ(read().policies.policies.size(), 2U);
}

TEST_F(SonicConfig, WithoutRestorationTimeOnlyAPersonRestores)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "200"}};
    const auto config = read();
    EXPECT_THAT(config.problems, IsEmpty());
    ASSERT_EQ(config.policies.policies.size(), 1U);
    EXPECT_EQ(config.policies.policies.front().policy.release, watchdog::Release::manual);
    EXPECT_EQ(config.policies.policies.front().policy.name, "pfcwd-drop-200-infinite");
}

TEST_F(SonicConfig, InvalidValuesAreNotInForce)
{
    auto& entry = table()["PFC_WD|Ethernet0"];
    const Hash good{{"detection_time", "400"}, {"restoration_time", "400"}};
    entry = good;
    entry["detection_time"] = "99";
    EXPECT_EQ(problem(), "PFC_WD|Ethernet0: detection_time is '99': a whole number 100..5000");
    entry = good;
    entry["restoration_time"] = "60001";
    EXPECT_EQ(problem(), "PFC_WD|Ethernet0: restoration_time is '60001': a whole number 100..60000");
    entry = good;
    entry["action"] = "explode";
    EXPECT_EQ(problem(), "PFC_WD|Ethernet0: action is 'explode': alert, forward, drop");
    entry = {{"action", "drop"}};
    EXPECT_THAT(problem(), HasSubstr("detection_time is ''"));
}

TEST_F(SonicConfig, NoTimeIsBelowThePollInterval)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "100"}, {"restoration_time", "400"}};
    EXPECT_THAT(problem(), HasSubstr("PFC_WD|Ethernet0: detect_ms is 100"));
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "100"}};
    EXPECT_THAT(problem(), HasSubstr("PFC_WD|Ethernet0: restore_ms is 100"));
}

TEST_F(SonicConfig, OneBadEntryLeavesTheOthers)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "400"}};
    table()["PFC_WD|Ethernet4"] = {{"detection_time", "nonsense"}};
    table()["PFC_WD|Ethernet99"] = {{"detection_time", "400"}};
    const auto config = read();
    EXPECT_EQ(config.policies.policies.size(), 1U);
    EXPECT_THAT(config.problems, ElementsAre(HasSubstr("'nonsense'"), "PFC_WD|Ethernet99: there is no such port"));
}

// A typing error in the configuration during a storm ends neither the storm nor the watching.
TEST_F(SonicConfig, TheLastValidVersionOfAnEntryStaysInForce)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "2000"}, {"action", "forward"}};
    const std::optional before{read()};
    table()["PFC_WD|Ethernet0"]["detection_time"] = "40";
    const auto config = read_config(store_, Role::detector, before).value();
    EXPECT_THAT(config.problems, ElementsAre(AllOf(HasSubstr("PFC_WD|Ethernet0: detection_time is '40'"),
                                                   HasSubstr("its last valid version stays in force"))));
    EXPECT_EQ(concern(config), config.problems.front());
    ASSERT_EQ(config.policies.policies.size(), 1U);
    EXPECT_EQ(config.policies.policies[0].policy.name, "pfcwd-forward-400-2000");
    EXPECT_EQ(config.policies.policies[0].ports[0].name, "Ethernet0");
}

TEST_F(SonicConfig, ThePolicyOfTheRedSwitchIsNoEarlierVersionOfAnEntry)
{
    table()["PFC_WD|GLOBAL"]["BIG_RED_SWITCH"] = "enable";
    const std::optional before{read(Role::owner)};
    ASSERT_FALSE(before->policies.policies.empty());
    table()["PFC_WD|GLOBAL"]["BIG_RED_SWITCH"] = "disable";
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "40"}};
    EXPECT_THAT(read_config(store_, Role::owner, before).value().policies.policies, IsEmpty());
}

TEST_F(SonicConfig, AnInvalidPollIntervalIsReportedOnceAndTheLastOneStays)
{
    for (const std::string port : {"Ethernet0", "Ethernet4"}) {
        table()["PFC_WD|" + port] = {{"detection_time", "400"}, {"restoration_time", "400"}};
    }
    const std::optional before{read(Role::owner)};
    table()["PFC_WD|GLOBAL"]["POLL_INTERVAL"] = "5000";
    const auto config = read_config(store_, Role::owner, before).value();
    EXPECT_THAT(config.problems, ElementsAre(AllOf(HasSubstr("PFC_WD|GLOBAL: POLL_INTERVAL is '5000'"),
                                                   HasSubstr("200 stays in force"))));
    ASSERT_EQ(config.policies.policies.size(), 1U);
    EXPECT_EQ(config.policies.policies[0].ports.size(), 2U);
    EXPECT_EQ(config.policies.policies[0].policy.poll, std::chrono::milliseconds{200});
}

// A port that keeps its old policy keeps its old poll interval, without effect on other ports.
TEST_F(SonicConfig, ABadEntryDoesNotSlowOthersDown)
{
    for (const std::string port : {"Ethernet0", "Ethernet4"}) {
        table()["PFC_WD|" + port] = {{"detection_time", "400"}, {"restoration_time", "400"}};
    }
    const std::optional before{read(Role::owner)};
    table()["PFC_WD|GLOBAL"]["POLL_INTERVAL"] = "100";
    table()["PFC_WD|Ethernet0"]["detection_time"] = "40";
    const auto config = read_config(store_, Role::owner, before).value();
    ASSERT_EQ(config.policies.policies.size(), 2U);
    EXPECT_EQ(config.policies.policies[1].ports[0].name, "Ethernet4");
    EXPECT_EQ(config.policies.policies[1].policy.poll, std::chrono::milliseconds{100});
}

TEST_F(SonicConfig, DisabledPollingWatchesNothing)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "400"}};
    table()["FLEX_COUNTER_TABLE|PFCWD"] = {{"FLEX_COUNTER_STATUS", "disable"}};
    const auto config = read(Role::owner);
    EXPECT_THAT(config.policies.policies, IsEmpty());
    EXPECT_THAT(concern(config), HasSubstr("counter_poll"));
    EXPECT_EQ(read(Role::detector).policies.policies.size(), 1U) << "with orchagent, syncd polls";
    table()["FLEX_COUNTER_TABLE|PFCWD"] = {{"FLEX_COUNTER_STATUS", "enable"}};
    EXPECT_EQ(read(Role::owner).policies.policies.size(), 1U);
}

TEST_F(SonicConfig, APortWithoutWatchedPrioritiesIsRefusedWithTheReason)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}};
    table()["PORT_QOS_MAP|Ethernet0"].erase("pfcwd_sw_enable");
    EXPECT_THAT(problem(), HasSubstr("PORT_QOS_MAP|Ethernet0 has no pfcwd_sw_enable"));
}

TEST_F(SonicConfig, TheBigRedSwitchIsAppliedByTheOwner)
{
    table()["PFC_WD|GLOBAL"]["BIG_RED_SWITCH"] = "enable";
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "400"}, {"action", "forward"}};
    const auto decides = read(Role::detector);
    EXPECT_TRUE(decides.big_red_switch);
    EXPECT_FALSE(decides.policies.big_red_switch);
    EXPECT_THAT(decides.policies.policies, IsEmpty());
    const auto acts = read(Role::owner);
    EXPECT_TRUE(acts.policies.big_red_switch);
    ASSERT_EQ(acts.policies.policies.size(), 1U);
    EXPECT_EQ(acts.policies.policies.front().ports.size(), 2U) << "also ports that PFC_WD does not name";
    EXPECT_EQ(acts.policies.policies.front().policy.action, watchdog::Treatment::drop);
}

TEST_F(SonicConfig, AnUnfilledDatabaseIsAnError)
{
    store_.flags.clear();
    EXPECT_FALSE(read_config(store_, Role::detector));
}

TEST_F(SonicConfig, ADatabaseFlushedDuringTheReadIsAnError)
{
    table()["PFC_WD|Ethernet0"] = {{"detection_time", "400"}, {"restoration_time", "400"}};
    const auto filled = store_;
    for (int call = 0;; ++call) {
        store_ = filled;
        test::InterruptedStore store{store_, call, [&] {
                                         table().clear();
                                         store_.flags.clear();
                                     }};
        const auto config = read_config(store, Role::detector);
        if (!store.was_interrupted()) {
            EXPECT_TRUE(config);
            break;
        }
        EXPECT_FALSE(config) << "before call " << call;
    }
}

TEST_F(SonicConfig, ReadsTheAlphas)
{
    table()["BUFFER_PROFILE|lossless"] = {{"dynamic_th", "-3"}};
    table()["BUFFER_PROFILE|static"] = {{"static_th", "100"}};
    EXPECT_THAT(read().alphas, ElementsAre(Alpha{"lossless", "-3"}));
}

TEST(PriorityBits, AreAListOfDigits)
{
    EXPECT_EQ(priority_bits(""), 0);
    EXPECT_EQ(priority_bits("3,4"), 0x18);
    EXPECT_EQ(priority_bits("0,7"), 0x81);
    for (const auto* wrong : {"8", "3,", ",3", "3 4", "33", "-1", "3,4,"}) {
        EXPECT_EQ(priority_bits(wrong), std::nullopt) << wrong;
    }
}

// --- ports that face servers

class ServerPorts : public SonicConfig {
protected:
    void neighbor(const std::string& port, const std::string& name, const std::string& type)
    {
        table()["DEVICE_NEIGHBOR|" + port] = {{"name", name}};
        if (!type.empty()) {
            table()["DEVICE_NEIGHBOR_METADATA|" + name] = {{"type", type}};
        }
    }
    void lldp(const std::string& port, const std::string& capabilities)
    {
        store_.content[Db::appl]["LLDP_ENTRY_TABLE:" + port] = {{"lldp_rem_sys_cap_enabled", capabilities},
                                                                {"lldp_rem_time_mark", "17"}};
    }
    std::vector<std::string> found()
    {
        std::vector<std::string> ports;
        for (const auto& server : read().policies.server_ports) {
            ports.push_back(server.port);
        }
        return ports;
    }
};

TEST_F(ServerPorts, AreThoseWhoseNeighbourIsAServer)
{
    neighbor("Ethernet0", "server-7", "Server");
    neighbor("Ethernet4", "leaf-1", "LeafRouter");
    EXPECT_THAT(found(), ElementsAre("Ethernet0"));
}

TEST_F(ServerPorts, WithoutAKnownNeighbourLldpDecides)
{
    neighbor("Ethernet0", "server-7", "");
    lldp("Ethernet0", "01 00");
    EXPECT_THAT(found(), ElementsAre("Ethernet0"));
    neighbor("Ethernet0", "leaf-1", "LeafRouter");
    EXPECT_THAT(found(), IsEmpty()) << "the configuration wins";
}

TEST_F(ServerPorts, APeerThatBridgesOrRoutesIsNoServer)
{
    for (const std::string capabilities : {"28 00", "21 00", "09 00", "00 00", "80 00", "", "x"}) {
        lldp("Ethernet0", capabilities);
        EXPECT_THAT(found(), IsEmpty()) << capabilities;
    }
}

TEST_F(ServerPorts, OfLldpOnlyTheCapabilitiesAreCompared)
{
    lldp("Ethernet0", "01 00");
    const auto before = read().tables;
    store_.content[Db::appl]["LLDP_ENTRY_TABLE:Ethernet0"]["lldp_rem_time_mark"] = "18";
    EXPECT_EQ(read().tables, before);
    lldp("Ethernet0", "28 00");
    EXPECT_NE(read().tables, before);
}

}  // namespace
}  // namespace petrel::sonic
