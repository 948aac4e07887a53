// The additional information about a storm, in the format of SONiC's scripts.
#include "sonic/storm_info.hpp"

#include <gtest/gtest.h>

namespace petrel::sonic {
namespace {

using namespace std::chrono_literals;

TEST(SonicStormInfo, HasTheNamesAndTheOrderOfTheScripts)
{
    StormInfo info;
    info.occupancy = 4096;
    info.packets = {7, 7};
    info.pfc_rx_packets = {300, 200};
    info.pfc_duration_us = {600'000, 400'000};
    info.timestamp = WallTime{1'731'769'682'123'456us};
    info.timestamp_last = WallTime{1'731'769'681'923'456us};
    info.effective_poll_time = 200'000'500ns;
    info.effective_pfcwd_poll_time_last = 199ms;
    EXPECT_EQ(info_text(info),
              "occupancy:4096|packets:7|packets_last:7|pfc_rx_packets:300|pfc_rx_packets_last:200|"
              "pfc_duration:600000|pfc_duration_last:400000|timestamp:1731769682.1235|timestamp_last:1731769681.9235|"
              "effective_poll_time:200000.5|effective_pfcwd_poll_time_last:199000");
}

TEST(SonicStormInfo, OmitsUnknownFields)
{
    StormInfo info;
    EXPECT_EQ(info_text(info), "");
    info.packets = {7, std::nullopt};
    info.paused = true;
    EXPECT_EQ(info_text(info), "packets:7|paused:true");
}

}  // namespace
}  // namespace petrel::sonic
