// Every public output of `ethtool -S` that we know must be read with the right meaning. A row has the lines that
// matter: names and values as published, without the lines that no reader needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bitset>
#include <ostream>
#include <vector>

#include "device/linux/counter_reader.hpp"

namespace petrel::device::linux_nic {
namespace {

using testing::HasSubstr;
using testing::Optional;
using watchdog::Field;
using watchdog::Sample;

using Value = std::optional<std::uint64_t>;

// What a port's counters mean. A string that is empty: the port is watched; else it must be part of the reason.
struct Meaning {
    std::string_view monitored_only{};
    std::uint8_t pausing{};  // bit p: pause that is sent for priority p is counted
    Value pause_3{};
    Value link_pause{};
    Value link_pause_us{};
    Value received{};
    Value storms{};
    bool storms_guessed{};
};

struct PublicOutput {
    std::string_view source;
    std::string_view driver;
    std::vector<Counter> lines;
    Meaning means;
};

void PrintTo(const PublicOutput& output, std::ostream* out) { *out << output.source; }

std::vector<Counter> each_priority(std::string_view before, std::string_view after)
{
    std::vector<Counter> lines;
    for (int priority = 0; priority != 8; ++priority) {
        lines.push_back({std::string{before} + std::to_string(priority) + std::string{after}, 0});
    }
    return lines;
}

std::vector<Counter> operator+(std::vector<Counter> one, const std::vector<Counter>& other)
{
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

std::vector<PublicOutput> public_outputs()
{
    using Lines = std::vector<Counter>;
    return {
        {"ethq, mlx5_core: PFC is off, the driver is too old for a storm counter",
         "mlx5_core",
         Lines{{"rx_packets", 845'320'277},
               {"rx_vport_unicast_packets", 844'884'988},
               {"rx_vport_rdma_unicast_packets", 0},
               {"rx_prio0_packets", 845'715'962},
               {"rx_prio3_packets", 0},
               {"rx_global_pause", 0},
               {"tx_global_pause", 0},
               {"tx_global_pause_duration", 0}},
         {.link_pause = 0, .link_pause_us = 0, .received = 844'884'988}},
        {"ethq, bnxt_en: the packets of priorities stay zero although 662 billion frames arrived",
         "bnxt_en",
         Lines{{"[0]: rx_ucast_packets", 10'198'513'532},
               {"rx_total_frames", 662'257'056'500},
               {"rx_pause_frames", 0},
               {"tx_pause_frames", 0},
               {"continuous_pause_events", 0},
               {"continuous_roce_pause_events", 0}} +
             each_priority("tx_pfc_ena_frames_pri", "") + each_priority("pfc_pri", "_tx_duration_us") +
             each_priority("rx_packets_pri", ""),
         {.monitored_only = "does not show whether it receives (rx_packets_pri0",
          .pausing = 0xff,
          .pause_3 = 0,
          .link_pause = 0,
          .storms = 0,
          .storms_guessed = true}},
        {"ethq, ice",
         "ice",
         Lines{{"rx_unicast", 12'117'448}, {"rx_unicast.nic", 12'117'448}, {"link_xoff_tx.nic", 0}} +
             each_priority("tx_priority_", "_xoff.nic"),
         {.pausing = 0xff, .pause_3 = 0, .link_pause = 0, .received = 12'117'448}},
        {"Intel 635330, ice: only the lines of priorities",
         "ice",
         Lines{{"tx_priority_0_xoff.nic", 6'434},
               {"tx_priority_1_xoff.nic", 6'434},
               {"tx_priority_2_xoff.nic", 14'864},
               {"tx_priority_3_xoff.nic", 6'434},
               {"tx_priority_4_xoff.nic", 0},
               {"tx_priority_5_xoff.nic", 6'434},
               {"tx_priority_6_xoff.nic", 6'434},
               {"tx_priority_7_xoff.nic", 6'434}},
         {.monitored_only = "(rx_unicast.nic missing or zero)", .pausing = 0xff, .pause_3 = 6'434}},
        {"ethq, i40e",
         "i40e",
         Lines{{"port.rx_unicast", 371'705'533'245}, {"port.link_xoff_tx", 0}} +
             each_priority("port.tx_priority_", "_xoff"),
         {.pausing = 0xff, .pause_3 = 0, .link_pause = 0, .received = 371'705'533'245}},
        {"ethq, i40e 2.3.2-k: other names",
         "i40e",
         Lines{{"port.rx_unicast", 439'831'404'645}, {"port.link_xoff_tx", 0}} +
             each_priority("port.tx_priority_", "_xoff_tx"),
         {.pausing = 0xff, .pause_3 = 0, .link_pause = 0, .received = 439'831'404'645}},
        {"ConnectX-4 Lx 25G, mlx5_core: only the lines of pause",
         "mlx5_core",
         Lines{{"tx_pause_ctrl_phy", 1'266'552},
               {"tx_global_pause", 1'266'552},
               {"tx_global_pause_duration", 555'665'182},
               {"tx_pause_storm_warning_events", 0},
               {"tx_pause_storm_error_events", 0}},
         {.monitored_only = "does not show whether it receives",
          .link_pause = 1'266'552,
          .link_pause_us = 555'665'182,
          .storms = 0}},
        {"byteps 179, mlx5_core: only the lines of traffic",
         "mlx5_core",
         Lines{{"rx_prio0_packets", 419'873'392'068}, {"rx_prio3_packets", 0}},
         {.monitored_only = "does not report the pause that it sends"}},
        {"ethq, sfc: the counters of the MAC",
         "sfc",
         Lines{{"port_tx_pause", 0},
               {"port_rx_packets", 1'653},
               {"port_rx_pause", 0},
               {"port_rx_unicast", 1'147},
               {"rx_unicast", 1'146}},
         {.link_pause = 0, .received = 1'147}},
        {"ethq, be2net: packets are counted by ring, and those of RDMA for all",
         "be2net",
         Lines{{"rx_pause_frames", 0},
               {"tx_pauseframes", 0},
               {"rx_priority_pause_frames", 0},
               {"tx_priority_pauseframes", 0},
               {"rx_roce_frames", 0},
               {"rxq0: rx_pkts", 6'743'082}},
         {.monitored_only = "does not show whether a port receives", .link_pause = 0}},
        {"ethq, bnx2x: packets of the rings for Ethernet alone",
         "bnx2x",
         Lines{{"rx_ucast_packets", 1'603'125'012}, {"rx_constant_pause_events", 2}, {"tx_pause_frames", 0}},
         {.monitored_only = "does not show whether a port receives", .link_pause = 0}},
        {"netdev, 2 March 2026, fbnic: its pause is in ethtool's standard statistics alone",
         "fbnic",
         Lines{},
         {.monitored_only = "does not count the pause that it sends"}},
    };
}

class EachPublicOutput : public testing::TestWithParam<PublicOutput> {};

TEST_P(EachPublicOutput, HasTheRightMeaning)
{
    const auto& [source, driver, lines, means] = GetParam();
    const auto value = [](const Sample& sample, Field field) {
        return has(sample.known, field) ? Value{sample[field]} : std::nullopt;
    };
    const auto* vendor = find_vendor(driver);
    ASSERT_NE(vendor, nullptr);
    const auto counters = CounterReader{*vendor}.read(lines);
    const auto why = monitored_only(*vendor, counters);
    if (means.monitored_only.empty()) {
        EXPECT_EQ(why, std::nullopt);
    } else {
        EXPECT_THAT(why, Optional(HasSubstr(std::string{means.monitored_only})));
        EXPECT_THAT(why, Optional(HasSubstr("monitored only")));
    }
    std::bitset<8> pausing;
    for (std::size_t priority = 0; priority != counters.priorities.size(); ++priority) {
        pausing[priority] = has(counters.priorities[priority].known, Field::pause_tx);
    }
    EXPECT_EQ(pausing, std::bitset<8>{means.pausing});
    EXPECT_EQ(value(counters.priorities[3], Field::pause_tx), means.pause_3);
    EXPECT_EQ(value(counters.port, Field::pause_tx), means.link_pause);
    EXPECT_EQ(value(counters.port, Field::pause_tx_us), means.link_pause_us);
    EXPECT_EQ(value(counters.port, Field::rx_packets), means.received);
    EXPECT_EQ(counters.storms, means.storms);
    EXPECT_EQ(counters.storms_guessed, means.storms_guessed);
}

INSTANTIATE_TEST_SUITE_P(VendorTable, EachPublicOutput, testing::ValuesIn(public_outputs()));

}  // namespace
}  // namespace petrel::device::linux_nic
