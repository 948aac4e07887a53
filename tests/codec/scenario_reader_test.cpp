// How a scenario file is read: given and omitted keys, and the complaints.
#include <gtest/gtest.h>

#include <random>

#include "codec/scenario/reader.hpp"
#include "golden.hpp"
#include "mutate.hpp"

namespace petrel::codec {
namespace {

using scenario::Scenario;
using topology::NodeId;

constexpr std::string_view kSmall = R"(
name = "small"
duration = "2ms"
seed = 7

[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 2
host_links = { speed = "10G", delay = "500ns" }
fabric_links = { speed = "40G", cable_m = 100 }
)";

Scenario read_small(std::string_view more = {})
{
    auto parsed = read_scenario(std::string{kSmall} + std::string{more}, "test.toml");
    EXPECT_TRUE(parsed) << golden::lines(parsed ? std::vector<Complaint>{} : parsed.error());
    return parsed ? std::move(*parsed) : Scenario{};
}

template <class T>
const T& fault(const Scenario& scenario, std::size_t i)
{
    return std::get<T>(scenario.faults.at(i).what);
}

TEST(ScenarioReader, TopologyAndDefaults)
{
    const auto s = read_small();
    EXPECT_EQ(s.name, "small");
    EXPECT_EQ(s.duration, 2 * twin::kMs);
    EXPECT_EQ(s.setup.seed, 7U);
    ASSERT_EQ(s.setup.topology.nodes.size(), 8U);
    EXPECT_EQ(s.setup.topology.links[0].speed.bps, 10'000'000'000U);
    EXPECT_EQ(s.setup.topology.links[0].delay.count(), 500'000);
    EXPECT_EQ(s.setup.topology.links[4].delay.count(), 505'051);  // 100 m at 198,000 km/s
    const auto& profile = s.setup.switch_profiles.at(0);
    EXPECT_TRUE(profile.groups[3].lossless);
    EXPECT_TRUE(profile.groups[4].lossless);
    EXPECT_FALSE(profile.groups[0].lossless);
    // 2 x 505.051 ns at 40 Gb/s, two frames of 9,216 + 20 bytes and a pause frame: 23,587 bytes, in whole KiB.
    EXPECT_EQ(profile.groups[3].headroom_bytes, 24U * 1024);
    EXPECT_EQ(profile.groups[0].headroom_bytes, 0U);
}

TEST(ScenarioReader, SeedFromOutside)
{
    const auto s = read_scenario(kSmall, "test.toml", 99);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->setup.seed, 99U);
}

TEST(ScenarioReader, ExplicitTopology)
{
    const auto s = read_scenario(R"(
name = "x"
duration = "1ms"
[topology]
kind = "explicit"
[[topology.node]]
name = "a"
kind = "host"
[[topology.node]]
name = "b"
kind = "host"
[[topology.node]]
name = "sw"
kind = "switch"
tier = 2
[[topology.link]]
between = ["a", "sw"]
speed = "25G"
[[topology.link]]
between = ["sw", "b"]
delay = "3us"
)",
                                 "test.toml");
    ASSERT_TRUE(s) << golden::lines(s.error());
    const auto& topology = s->setup.topology;
    EXPECT_EQ(topology.nodes[2].tier, 2);
    EXPECT_EQ(topology.nodes[2].ports[1].name, "Ethernet1");
    EXPECT_EQ(topology.links[0].speed.bps, 25'000'000'000U);
    EXPECT_EQ(topology.links[1].delay.count(), 3'000'000);
    EXPECT_EQ(topology.links[1].ends[0].port, 1);
}

TEST(ScenarioReader, Profiles)
{
    const auto s = read_small(R"(
[[switch]]
buffer = "4MiB"
lossless = [3]
alpha = -2
xon_offset = "2kB"
pipeline = "400ns"
priority_of_dscp = { 46 = 6 }
pause = { quanta = 1000, response = "1us" }
flaws = { refresh = "10ms" }

[[switch.group]]
groups = 3
headroom = "100KiB"
alpha = 1

[[switch.queue]]
queues = [3, 4]
weight = 5
ecn = { min = "10kB", max = "100kB", probability = 0.5 }

[[switch]]
nodes = ["spine0"]
flood_unknown = true

[[nic]]
nodes = "h1..h2"
drain = "5G"
)");
    ASSERT_EQ(s.setup.switch_profiles.size(), 3U);
    EXPECT_EQ(s.setup.profile(4), 1);  // leaf0
    EXPECT_EQ(s.setup.profile(6), 2);  // spine0
    const auto& profile = s.setup.switch_profiles[1];
    EXPECT_EQ(profile.buffer_bytes, 4U << 20U);
    EXPECT_EQ(profile.groups[3].limit.alpha_exponent, 1);
    EXPECT_EQ(profile.groups[5].limit.alpha_exponent, -2);
    EXPECT_EQ(profile.groups[5].xon_offset_bytes, 2'000U);
    EXPECT_EQ(profile.groups[3].headroom_bytes, 100U * 1024);
    EXPECT_FALSE(profile.groups[4].lossless);
    EXPECT_EQ(profile.queues[4].weight, 5U);
    EXPECT_EQ(profile.queues[3].ecn.max_bytes, 100'000U);
    EXPECT_EQ(profile.priority_of_dscp[46], 6);
    EXPECT_EQ(profile.pause.response, twin::kUs);
    EXPECT_EQ(profile.flaws.refresh, 10 * twin::kMs);
    EXPECT_TRUE(s.setup.switch_profiles[2].flood_unknown);
    EXPECT_EQ(s.setup.profile(0), 0);
    EXPECT_EQ(s.setup.profile(1), 1);
    EXPECT_EQ(s.setup.nic_profiles[1].drain.bps, 5'000'000'000U);
}

TEST(ScenarioReader, Traffic)
{
    const auto s = read_small(R"(
[[traffic]]
name = "one"
from = "h0"
to = "h3"
size = "1MB"
rate = "1G"
dscp = 4
reliable = false
start = "1us"
stop = "1ms"

[[traffic]]
pattern = "incast"
to = "h0"

[[traffic]]
pattern = "all-to-all"
hosts = ["h0", "h1", "h2"]

[[traffic]]
pattern = "permutation"

[[traffic]]
pattern = "permutation"
shift = 2
)");
    ASSERT_EQ(s.traffic.size(), 5U);
    const auto& one = s.setup.flows[0];
    EXPECT_EQ(one.packets, 955U);  // of 1,048 bytes
    EXPECT_EQ(one.rate.bps, 1'000'000'000U);
    EXPECT_EQ(one.dscp, 4);
    EXPECT_FALSE(one.reliable);
    EXPECT_EQ(one.stop, twin::kMs);
    EXPECT_EQ(s.traffic[1].name, "traffic 2");
    EXPECT_EQ(s.traffic[1].flows, 3U);
    EXPECT_EQ(s.traffic[2].flows, 6U);
    std::vector<int> sent(4);
    std::vector<int> got(4);
    for (std::uint32_t i = 0; i < s.traffic[3].flows; ++i) {
        const auto& flow = s.setup.flows[s.traffic[3].first_flow + i];
        EXPECT_NE(flow.src, flow.dst);
        ++sent[flow.src.value];
        ++got[flow.dst.value];
    }
    EXPECT_EQ(sent, (std::vector{1, 1, 1, 1}));
    EXPECT_EQ(got, (std::vector{1, 1, 1, 1}));
    EXPECT_EQ(s.setup.flows[s.traffic[4].first_flow].dst, NodeId{2});
}

TEST(ScenarioReader, Faults)
{
    const auto s = read_small(R"(
[[fault]]
at = "20us"
kind = "storm"
host = ["h0", "h1"]
priorities = [3, 4]
period = "50us"
until = "1ms"
[[fault]]
at = "30us"
kind = "slow-pipeline"
host = "h2"
rate = "100M"
[[fault]]
at = "40us"
kind = "cut-link"
link = ["leaf0", "spine1"]
[[fault]]
at = "50us"
kind = "disable-port"
port = "leaf1:Ethernet1"
[[fault]]
at = "60us"
kind = "reroute"
without = [["leaf0", "spine1"], "h3"]
[[fault]]
at = "70us"
kind = "set-route"
to = "h0"
ports = ["leaf1:Ethernet2", "leaf1:Ethernet3"]
[[fault]]
at = "80us"
kind = "forget-address"
switch = "all"
to = "h0"
[[fault]]
at = "90us"
kind = "set-alpha"
switch = "leaf0"
group = 3
alpha = 2
[[fault]]
at = "95us"
kind = "storm"
host = "h0"
times = [0, 0, 0, 100, 200, 0, 0, 0]
[[fault]]
at = "96us"
kind = "slow-port"
port = "leaf1:Ethernet1"
rate = "20M"
until = "1ms"
[[fault]]
at = "97us"
kind = "slow-port"
port = "leaf0:Ethernet0"
[[fault]]
at = "98us"
kind = "set-speed"
link = ["leaf0", "spine1"]
speed = "100M"
[[fault]]
at = "99us"
kind = "set-speed"
link = ["leaf0", "spine1"]
speed = "1G"
down = "20ms"
)");
    ASSERT_EQ(s.faults.size(), 18U);
    EXPECT_EQ(s.faults[0].at, 20 * twin::kUs);
    EXPECT_EQ(fault<scenario::StartStorm>(s, 1).host, NodeId{1});
    EXPECT_EQ(fault<scenario::StartStorm>(s, 1).storm.priorities, 0x18);
    EXPECT_EQ(fault<scenario::StartStorm>(s, 1).storm.stop, twin::kMs);
    EXPECT_EQ(fault<scenario::LimitPipeline>(s, 2).rate.bps, 100'000'000U);
    EXPECT_EQ(fault<scenario::CutLink>(s, 3).link, 5U);
    EXPECT_EQ(fault<scenario::SwitchPort>(s, 4).end, (topology::End{NodeId{5}, 1}));
    EXPECT_EQ(fault<scenario::Reroute>(s, 5).without, (std::vector<std::uint32_t>{5, 3}));
    EXPECT_EQ(fault<scenario::SetRoute>(s, 6).at, NodeId{5});
    EXPECT_EQ(fault<scenario::SetRoute>(s, 6).ports, (std::vector<std::uint16_t>{2, 3}));
    EXPECT_TRUE(fault<scenario::SetRoute>(s, 7).ports.empty());
    EXPECT_EQ(fault<scenario::SetAlpha>(s, 11).ports.size(), 4U);
    EXPECT_EQ(fault<scenario::StartStorm>(s, 12).storm.times, 1);
    EXPECT_EQ(s.setup.pause_times.at(0)[4], 200);
    EXPECT_EQ(fault<scenario::SlowPort>(s, 13).end, (topology::End{NodeId{5}, 1}));
    EXPECT_EQ(fault<scenario::SlowPort>(s, 13).rate, BitRate{20'000'000});
    EXPECT_EQ(fault<scenario::HealPort>(s, 14).end, (topology::End{NodeId{5}, 1}));
    EXPECT_EQ(s.faults[14].at, twin::kMs);
    EXPECT_EQ(fault<scenario::SlowPort>(s, 15).rate, std::nullopt);
    EXPECT_EQ(fault<scenario::SetSpeed>(s, 16).link, 5U);
    EXPECT_EQ(fault<scenario::SetSpeed>(s, 16).speed.bps, 100'000'000U);
    EXPECT_EQ(fault<scenario::SetSpeed>(s, 16).down, 500 * twin::kMs);
    EXPECT_EQ(fault<scenario::SetSpeed>(s, 17).down, 20 * twin::kMs);
}

TEST(ScenarioReader, PoliciesOfTheirDevices)
{
    const auto s = read_small(R"(
[limits]
max_mitigated = 2

[[switch]]
pause_limit = "50ms"

[[policy]]
preset = "sonic"
detect_ms = 300

[[policy]]
preset = "progress"
devices = ["leaf0"]
ports = ["Ethernet1"]

[[policy]]
preset = "rdma-nic"
)");
    ASSERT_EQ(s.watches.size(), 8U);
    EXPECT_EQ(s.watches[0].node, NodeId{0});
    EXPECT_EQ(s.watches[0].book.policies.at(0).name, "rdma-nic");
    const auto& leaf0 = s.watches[4];
    ASSERT_EQ(leaf0.book.policies.size(), 2U);
    EXPECT_EQ(leaf0.book.policies[0].detect, std::chrono::milliseconds{300});
    EXPECT_EQ(leaf0.book.assigned.at(1).policy, 1);
    EXPECT_EQ(leaf0.book.assigned[1].port, 1);
    EXPECT_EQ(leaf0.book.max_mitigated, 2U);
    EXPECT_EQ(leaf0.hardware.pause_limit, std::chrono::milliseconds{50});
    EXPECT_EQ(s.watches[5].book.policies.size(), 1U);
}

TEST(ScenarioReader, Captures)
{
    const auto s = read_small("[[capture]]\nlink = [\"leaf0\", \"h1\"]\nframes = 10\n");
    ASSERT_EQ(s.captures.size(), 1U);
    EXPECT_EQ(s.captures[0].link, 1U);
    EXPECT_EQ(s.captures[0].frames, 10U);
}

// All problems at once, with their exact text: tests/golden/codec/scenario.
TEST(ScenarioReader, Complaints)
{
    for (const auto& path : golden::inputs("scenario")) {
        const auto parsed = read_scenario(golden::content(path), path.filename().string());
        golden::expect_same(path, parsed ? "no complaint\n" : golden::lines(parsed.error()));
    }
}

TEST(ScenarioReader, DamagedFilesAreReadOrRefused)
{
    std::mt19937_64 random{20'260'101};
    for (const auto& path : golden::inputs("scenario")) {
        for (int i = 0; i < 300; ++i) {
            const auto parsed = read_scenario(mutated(golden::content(path), random), "damaged.toml");
            if (!parsed) {
                EXPECT_FALSE(parsed.error().empty());
            }
        }
    }
}

}  // namespace
}  // namespace petrel::codec
