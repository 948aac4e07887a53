// The names and values are those of public outputs of `ethtool -S`, a few lines of each.
#include "device/linux/counter_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "device/linux/nic_facts.hpp"

namespace petrel::device::linux_nic {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Optional;
using watchdog::Field;
using watchdog::Fields;
using watchdog::Sample;

NicCounters read(std::string_view driver, const std::vector<Counter>& counters)
{
    const auto* vendor = find_vendor(driver);
    EXPECT_NE(vendor, nullptr) << driver;
    return CounterReader{*vendor}.read(counters);
}

std::optional<std::uint64_t> value(const Sample& sample, Field field)
{
    return has(sample.known, field) ? std::optional{sample[field]} : std::nullopt;
}

TEST(CounterReader, ReadsTheLinkWidePauseOfMlx5)
{
    const auto counters = read("mlx5_core", {{"tx_pause_ctrl_phy", 1'266'552},
                                             {"rx_global_pause", 0},
                                             {"rx_global_pause_duration", 0},
                                             {"tx_global_pause", 1'266'552},
                                             {"tx_global_pause_duration", 555'665'182},
                                             {"tx_pause_storm_warning_events", 7},
                                             {"tx_pause_storm_error_events", 0}});
    EXPECT_THAT(value(counters.port, Field::pause_tx), Optional(1'266'552));
    EXPECT_THAT(value(counters.port, Field::pause_tx_us), Optional(555'665'182));
    EXPECT_THAT(value(counters.port, Field::rx_pfc), Optional(0));
    EXPECT_THAT(counters.storms, Optional(0)) << "a warning is no storm";
    EXPECT_FALSE(counters.storms_guessed);
}

TEST(CounterReader, LeavesPauseOfMlx5UnknownWhilePfcIsOff)
{
    const auto counters = read("mlx5_core", {{"rx_prio0_packets", 845'715'962},
                                             {"rx_prio3_packets", 0},
                                             {"rx_vport_unicast_packets", 844'884'988},
                                             {"rx_vport_rdma_unicast_packets", 12}});
    EXPECT_EQ(counters.priorities[3].known, bit(Field::rx_packets));
    EXPECT_THAT(value(counters.priorities[0], Field::rx_packets), Optional(845'715'962));
    EXPECT_THAT(value(counters.port, Field::rx_packets), Optional(844'885'000)) << "with and without RDMA";
    EXPECT_EQ(counters.storms, std::nullopt) << "the driver is too old";
}

TEST(CounterReader, ReadsThePauseOfAPriorityOfMlx5)
{
    const auto counters = read("mlx5_core", {{"tx_prio3_pause", 11},
                                             {"tx_prio3_pause_duration", 12},
                                             {"rx_prio3_pause", 13},
                                             {"rx_prio3_pause_duration", 14},
                                             {"rx_prio3_pause_transition", 15},
                                             {"rx_prio3_discards", 16}});
    const auto& three = counters.priorities[3];
    EXPECT_THAT(value(three, Field::pause_tx), Optional(11));
    EXPECT_THAT(value(three, Field::pause_tx_us), Optional(12));
    EXPECT_THAT(value(three, Field::rx_pfc), Optional(13));
    EXPECT_THAT(value(three, Field::pause_us), Optional(14));
    EXPECT_THAT(value(three, Field::on2off), Optional(15));
    EXPECT_THAT(value(three, Field::rx_drops), Optional(16));
    EXPECT_EQ(counters.priorities[4].known, Fields{});
}

TEST(CounterReader, DoesNotTakePartOfTheProgressForAll)
{
    const auto counters = read("mlx5_core", {{"rx_vport_unicast_packets", 844'884'988}});
    EXPECT_FALSE(has(counters.port.known, Field::rx_packets));
}

TEST(CounterReader, ReadsBnxt)
{
    const auto counters = read("bnxt_en", {{"[3]: rx_ucast_packets", 9},
                                           {"tx_pause_frames", 1},
                                           {"tx_pfc_ena_frames_pri3", 2},
                                           {"rx_pfc_ena_frames_pri3", 3},
                                           {"pfc_pri3_tx_duration_us", 4},
                                           {"pfc_pri3_rx_duration_us", 5},
                                           {"continuous_pause_events", 6}});
    const auto& three = counters.priorities[3];
    EXPECT_THAT(value(counters.port, Field::pause_tx), Optional(1));
    EXPECT_THAT(value(three, Field::pause_tx), Optional(2));
    EXPECT_THAT(value(three, Field::rx_pfc), Optional(3));
    EXPECT_THAT(value(three, Field::pause_tx_us), Optional(4));
    EXPECT_THAT(value(three, Field::pause_us), Optional(5));
    EXPECT_THAT(counters.storms, Optional(6));
    EXPECT_TRUE(counters.storms_guessed);
    EXPECT_FALSE(has(counters.port.known, Field::rx_packets)) << "packets of a ring do not include RDMA";
}

TEST(CounterReader, ReadsIceWhereAllPrioritiesOfAClassCountAlike)
{
    const auto counters = read("ice", {{"tx_priority_2_xon.nic", 2},
                                       {"tx_priority_2_xoff.nic", 14'864},
                                       {"tx_priority_3_xoff.nic", 6'434},
                                       {"tx_priority_4_xoff.nic", 0},
                                       {"rx_priority_3_xon.nic", 1},
                                       {"rx_priority_3_xoff.nic", 8},
                                       {"rx_unicast", 5},
                                       {"rx_unicast.nic", 12'117'448}});
    EXPECT_THAT(value(counters.priorities[2], Field::pause_tx), Optional(14'864));
    EXPECT_THAT(value(counters.priorities[3], Field::pause_tx), Optional(6'434));
    EXPECT_THAT(value(counters.priorities[4], Field::pause_tx), Optional(0));
    EXPECT_THAT(value(counters.priorities[3], Field::rx_xoff), Optional(8));
    EXPECT_THAT(value(counters.priorities[3], Field::rx_xon), Optional(1));
    EXPECT_THAT(value(counters.port, Field::rx_packets), Optional(12'117'448)) << "of the port, not of one function";
    EXPECT_TRUE(find_vendor("ice")->shares_classes);
}

TEST(CounterReader, ReadsBothNamesOfI40e)
{
    const auto newer = read("i40e", {{"port.tx_priority_3_xoff", 21}, {"port.rx_priority_3_xoff", 22}});
    const auto older = read("i40e", {{"port.tx_priority_3_xoff_tx", 31}, {"port.rx_priority_3_xoff_rx", 32}});
    EXPECT_THAT(value(newer.priorities[3], Field::pause_tx), Optional(21));
    EXPECT_THAT(value(newer.priorities[3], Field::rx_xoff), Optional(22));
    EXPECT_THAT(value(older.priorities[3], Field::pause_tx), Optional(31));
    EXPECT_THAT(value(older.priorities[3], Field::rx_xoff), Optional(32));
}

TEST(CounterReader, IgnoresBlanksAroundNames)
{
    const auto counters = read("cxgb4", {{"tx_ppp3_frames      ", 4}, {"  rx_frames_ok ", 5}, {"   ", 6}});
    EXPECT_THAT(value(counters.priorities[3], Field::pause_tx), Optional(4));
    EXPECT_THAT(value(counters.port, Field::rx_packets), Optional(5));
}

// mlx5_core has other counters when PFC changes, maybe as many as before.
TEST(CounterReader, FollowsCountersThatComeGoAndChangePlaces)
{
    CounterReader reader{*find_vendor("mlx5_core")};
    const std::vector<std::vector<Counter>> reads{
        {{"tx_prio3_pause", 1}, {"rx_vport_unicast_packets", 10}, {"rx_vport_rdma_unicast_packets", 20}},
        {{"tx_prio4_pause", 2}, {"rx_vport_unicast_packets", 11}, {"rx_vport_rdma_unicast_packets", 21}},
        {{"rx_vport_rdma_unicast_packets", 22}, {"rx_vport_unicast_packets", 12}, {"tx_global_pause", 3}},
        {{"rx_vport_unicast_packets", 13}},
        {{"tx_prio3_pause", 4}, {"rx_vport_unicast_packets", 14}, {"rx_vport_rdma_unicast_packets", 24}},
    };
    for (const auto& counters : reads) {
        const auto again = reader.read(counters);
        const auto fresh = CounterReader{*find_vendor("mlx5_core")}.read(counters);
        for (std::size_t priority = 0; priority != kPriorities; ++priority) {
            EXPECT_EQ(again.priorities[priority].known, fresh.priorities[priority].known);
            EXPECT_EQ(again.priorities[priority].raw, fresh.priorities[priority].raw);
        }
        EXPECT_EQ(again.port.known, fresh.port.known);
        EXPECT_EQ(again.port.raw, fresh.port.raw);
    }
}

// The MAC counts what arrives, so pause frames of others are not among the unicast packets.
TEST(CounterReader, ReadsHns3)
{
    const auto counters = read("hns3", {{"mac_tx_mac_pause_num", 1},
                                        {"mac_rx_mac_pause_num", 2},
                                        {"mac_tx_pfc_pri3_pkt_num", 3},
                                        {"mac_rx_pfc_pri3_pkt_num", 4},
                                        {"mac_rx_total_pkt_num", 50},
                                        {"mac_rx_uni_pkt_num", 40}});
    EXPECT_THAT(value(counters.port, Field::pause_tx), Optional(1));
    EXPECT_THAT(value(counters.priorities[3], Field::pause_tx), Optional(3));
    EXPECT_THAT(value(counters.priorities[3], Field::rx_pfc), Optional(4));
    EXPECT_THAT(value(counters.port, Field::rx_packets), Optional(40));
}

TEST(VendorTable, MonitorsUnknownDriversOnlyAndSaysSo)
{
    for (const auto* driver : {"bonding", "veth", ""}) {
        EXPECT_EQ(find_vendor(driver), nullptr) << driver;
        EXPECT_THAT(monitored_only(driver), Optional(HasSubstr("monitored only"))) << driver;
    }
    EXPECT_THAT(monitored_only("veth"), Optional(HasSubstr("'veth'")));
}

TEST(VendorTable, MonitorsDriversOnlyThatLackACounter)
{
    EXPECT_THAT(monitored_only("enic"), Optional(HasSubstr("does not count the pause")));
    EXPECT_THAT(monitored_only("fbnic"), Optional(HasSubstr("does not count the pause")));
    for (const auto* driver : {"qede", "be2net", "bnx2x"}) {
        EXPECT_THAT(monitored_only(driver), Optional(HasSubstr("does not show whether a port receives"))) << driver;
    }
    for (const auto* driver : {"mlx5_core", "bnxt_en", "ice", "i40e", "cxgb4", "hns3", "sfc"}) {
        EXPECT_EQ(monitored_only(driver), std::nullopt) << driver;
    }
}

TEST(VendorTable, ADriverThatRefreshesSlowlyDetectsLater)
{
    const auto detect = [](Duration refresh, Duration wanted) {
        return effective_detect(NicFacts{.refresh = refresh}, wanted);
    };
    EXPECT_EQ(detect(0s, 100ms), 100ms);
    EXPECT_EQ(detect(1s, 100ms), 2s);
    EXPECT_EQ(detect(1s, 3s), 3s);
}

TEST(VendorTable, WatchedDriversHaveAKnownRefreshAndEachDriverOneRow)
{
    std::set<std::string_view> drivers;
    for (const auto& vendor : vendors()) {
        EXPECT_TRUE(drivers.insert(vendor.driver).second) << vendor.driver;
        EXPECT_TRUE(vendor.refresh || monitored_only(vendor.driver)) << vendor.driver;
        for (const auto& counter : vendor.priority_counters) {
            EXPECT_THAT(std::string{counter.name}, HasSubstr("#"));
        }
    }
}

}  // namespace
}  // namespace petrel::device::linux_nic
