// [[fault]] of links, and [manager]: given and omitted keys. The complaints are in tests/golden/codec/scenario.
#include <gtest/gtest.h>

#include "codec/scenario/reader.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

using scenario::LosePower;
using scenario::Scenario;
using scenario::SwitchPort;
using scenario::TakeDown;
using topology::End;
using topology::NodeId;
using twin::kMs;

// s0 is node 2; Ethernet1 leads to h1.
constexpr End kPort{NodeId{2}, 1};
constexpr End kNic{NodeId{1}, 0};

std::string file(std::string_view more)
{
    return "name = \"links\"\nduration = \"2ms\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n" +
           std::string{more};
}

Scenario read_single_switch(std::string_view more)
{
    auto parsed = read_scenario(file(more), "test.toml");
    EXPECT_TRUE(parsed) << golden::lines(parsed ? std::vector<Complaint>{} : parsed.error());
    return parsed ? std::move(*parsed) : Scenario{};
}

Scenario read_fault(std::string_view more)
{
    return read_single_switch("[[fault]]\nat = \"1ms\"\nport = \"s0:Ethernet1\"\n" + std::string{more});
}

template <class T>
const T& what(const Scenario& scenario, std::size_t i)
{
    return std::get<T>(scenario.faults.at(i).what);
}

void expect_down(const Scenario& scenario, std::size_t i, End end, int reason, bool sent, twin::Ps at)
{
    const auto& down = what<TakeDown>(scenario, i);
    EXPECT_EQ(scenario.faults[i].at, at);
    EXPECT_EQ(down.end, end);
    EXPECT_EQ(down.down.reason, reason);
    EXPECT_EQ(down.down.send_reason, sent);
}

void expect_up(const Scenario& scenario, std::size_t i, End end, twin::Ps at)
{
    EXPECT_EQ(scenario.faults.at(i).at, at);
    EXPECT_EQ(what<SwitchPort>(scenario, i).end, end);
    EXPECT_TRUE(what<SwitchPort>(scenario, i).on);
}

TEST(ScenarioLinkFaults, DownForAReasonAtOneEndOrBoth)
{
    expect_down(read_fault("kind = \"link-down\""), 0, kPort, 33, true, kMs);
    const auto s = read_fault("kind = \"link-down\"\nreason = 41\ntold = false\npeer_reason = 32");
    ASSERT_EQ(s.faults.size(), 2U);
    expect_down(s, 0, kPort, 41, false, kMs);
    expect_down(s, 1, kNic, 32, true, kMs);
    expect_down(read_fault("kind = \"link-down\"\npeer_reason = 32\npeer_told = false"), 1, kNic, 32, false, kMs);
    expect_down(read_fault("kind = \"manager-disable\""), 0, kPort, 61, true, kMs);
    EXPECT_EQ(what<LosePower>(read_fault("kind = \"power-loss\""), 0).end, kPort);
}

TEST(ScenarioLinkFaults, UpAtOneEndOrBoth)
{
    for (const std::string kind : {"kind = \"link-up\"\n", "kind = \"manager-enable\"\n"}) {
        expect_up(read_fault(kind), 0, kPort, kMs);
        const auto both = read_single_switch("[[fault]]\nat = \"1ms\"\nlink = \"h1\"\n" + kind);
        ASSERT_EQ(both.faults.size(), 2U);
        expect_up(both, 0, kNic, kMs);
        expect_up(both, 1, kPort, kMs);
    }
}

TEST(ScenarioLinkFaults, BouncesAndFlapsAreDownsAndUps)
{
    const auto bounce = read_fault("kind = \"bounce\"");
    ASSERT_EQ(bounce.faults.size(), 2U);
    expect_down(bounce, 0, kPort, 39, true, kMs);
    expect_up(bounce, 1, kPort, 2 * kMs);

    const auto flap = read_fault("kind = \"flap\"\ntimes = 2\ndown = \"3ms\"\nup = \"5ms\"\nreason = 18\ntold = false");
    ASSERT_EQ(flap.faults.size(), 4U);
    expect_down(flap, 0, kPort, 18, false, kMs);
    expect_up(flap, 1, kPort, 4 * kMs);
    expect_down(flap, 2, kPort, 18, false, 9 * kMs);
    expect_up(flap, 3, kPort, 12 * kMs);
}

TEST(ScenarioLinkFaults, AManagerBouncesSwitchPorts)
{
    const auto bounce = read_fault("kind = \"manager-bounce\"\ndown = \"3ms\"");
    ASSERT_EQ(bounce.faults.size(), 2U);
    expect_down(bounce, 0, kPort, 39, true, kMs);
    expect_up(bounce, 1, kPort, 4 * kMs);
    const auto nic =
        read_scenario(file("[[fault]]\nat = \"1ms\"\nkind = \"manager-bounce\"\nport = \"h1\""), "test.toml");
    ASSERT_FALSE(nic);
    EXPECT_EQ(nic.error().front().allowed, "a port of a switch");
}

TEST(ScenarioLinkFaults, ARebootTakesTheLinkDownIfItTakesTime)
{
    const std::string reboot = "[[fault]]\nat = \"1ms\"\nkind = \"reboot-host\"\nhost = \"h1\"\n";
    EXPECT_EQ(read_single_switch(reboot).faults.size(), 1U);
    const auto s = read_single_switch(reboot + "down = \"7ms\"");
    ASSERT_EQ(s.faults.size(), 3U);
    expect_down(s, 0, kNic, 35, true, kMs);
    expect_up(s, 1, kNic, 8 * kMs);
    EXPECT_EQ(what<scenario::RebootHost>(s, 2).host, NodeId{1});
}

TEST(ScenarioLinkFaults, LinksTrainOrLoseLanes)
{
    const auto s =
        read_single_switch("[[fault]]\nat = \"1ms\"\nkind = \"set-speed\"\nlink = \"h1\"\nspeed = \"50G\"\nlanes = 2\n"
                           "[[fault]]\nat = \"1ms\"\nkind = \"degrade-link\"\nlink = \"h1\"\nlanes = 3\n");
    EXPECT_EQ(what<scenario::SetSpeed>(s, 0).lanes, 2);
    EXPECT_EQ(what<scenario::LoseLanes>(s, 1).link, 1U);
    EXPECT_EQ(what<scenario::LoseLanes>(s, 1).lanes, 3);
}

TEST(ScenarioLinkFaults, APortRequiresSpeedAndWidth)
{
    const auto s = read_single_switch("[[port]]\nport = \"s0:Ethernet1\"\nleast_speed = \"100G\"\nwidths = [2, 4]\n"
                                      "[[port]]\nport = \"h1\"\nwidths = 3\n");
    ASSERT_EQ(s.setup.link_policies.size(), 2U);
    EXPECT_EQ(s.setup.link_policies[0].port, kPort);
    EXPECT_EQ(s.setup.link_policies[0].policy.least_lane_speed.bps, 25'000'000'000U);
    EXPECT_EQ(s.setup.link_policies[0].policy.widths_allowed, 0b1010);
    EXPECT_EQ(s.setup.link_policies[1].policy.widths_allowed, 0b0100);
    const auto wrong = read_scenario(file("[[port]]\nport = \"h1\"\nwidths = [5]\n"), "test.toml");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().front().value, "5");
    EXPECT_FALSE(read_scenario(file("[[port]]\nport = \"h1\"\nwidths = []\n"), "test.toml"));
}

TEST(ScenarioLinkFaults, AManagerSweepsOnlyIfThereIsOne)
{
    EXPECT_EQ(read_single_switch("").manager_sweep, 0U);
    EXPECT_EQ(read_single_switch("[manager]").manager_sweep, 10 * kMs);
    EXPECT_EQ(read_single_switch("[manager]\nsweep = \"250us\"").manager_sweep, 250 * twin::kUs);
}

}  // namespace
}  // namespace petrel::codec
