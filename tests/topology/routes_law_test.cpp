// Routes compared with a simple definition: distances by relaxing all links until nothing changes. A switch offers
// exactly the ports that lead one hop nearer, so all paths are equally long and none can loop.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fabrics.hpp"

namespace petrel {
namespace {

using namespace topology;
using test::any_fabric;
using test::nodes_of;

constexpr std::uint32_t kFar = 1'000'000;

std::vector<std::uint32_t> hops_to(NodeId host, const Topology& fabric, const std::vector<std::uint32_t>& failed)
{
    std::vector<std::uint32_t> hops(fabric.nodes.size(), kFar);
    hops[host.value] = 0;
    const auto passes_on = [&](NodeId node) {
        return node == host || fabric.nodes[node.value].kind == Kind::fabric_switch;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i = 0; i < fabric.links.size(); ++i) {
            if (std::find(failed.begin(), failed.end(), i) != failed.end()) {
                continue;
            }
            for (const auto& end : fabric.links[i].ends) {
                const auto next = test::peer(fabric.links[i], end.node);
                if (passes_on(next) && hops[next.value] + 1 < hops[end.node.value]) {
                    hops[end.node.value] = hops[next.value] + 1;
                    changed = true;
                }
            }
        }
    }
    return hops;
}

// The ports of a switch on live links that lead one hop nearer.
std::vector<std::uint16_t> nearer(NodeId at, const std::vector<std::uint32_t>& hops, const Topology& fabric,
                                  const std::vector<std::uint32_t>& failed)
{
    std::vector<std::uint16_t> ports;
    for (std::uint32_t i = 0; i < fabric.links.size(); ++i) {
        const bool dead = std::find(failed.begin(), failed.end(), i) != failed.end();
        for (const auto& end : fabric.links[i].ends) {
            if (!dead && end.node == at && hops[at.value] < kFar &&
                hops[test::peer(fabric.links[i], at).value] + 1 == hops[at.value]) {
                ports.push_back(end.port);
            }
        }
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

std::vector<std::uint16_t> copy(std::span<const std::uint16_t> ports) { return {ports.begin(), ports.end()}; }

RC_GTEST_PROP(RoutesLaw, OfferExactlyThePortsThatLeadOneHopNearer, ())
{
    const auto fabric = any_fabric();
    const auto links = static_cast<std::uint32_t>(fabric.links.size());
    std::vector<std::uint32_t> failed(test::number(0, 4));
    std::generate(failed.begin(), failed.end(), [&] { return test::number(0, links - 1); });
    RC_TAG(failed.empty() ? "whole" : "links failed");
    const Routes routes{fabric, failed};
    for (const auto host : nodes_of(fabric, Kind::host)) {
        const auto hops = hops_to(host, fabric, failed);
        for (const auto at : nodes_of(fabric, Kind::fabric_switch)) {
            RC_ASSERT(copy(routes.ports(at, host)) == nearer(at, hops, fabric, failed));
        }
    }
}

RC_GTEST_PROP(RoutesLaw, InAWholeFabricEveryHostReachesEveryHost, ())
{
    const auto fabric = any_fabric();
    const Routes routes{fabric};
    const Lookup lookup{fabric};
    for (const auto from : nodes_of(fabric, Kind::host)) {
        for (const auto to : nodes_of(fabric, Kind::host)) {
            auto at = test::peer(fabric.links[from.value], from);
            std::size_t hops = 0;
            while (at != to) {
                RC_ASSERT(++hops <= fabric.nodes.size());
                const auto choice = routes.ports(at, to);
                RC_ASSERT(!choice.empty());
                const auto port = choice[(from.value + hops) % choice.size()];
                at = test::peer(fabric.links[lookup.link({at, port}).value()], at);
            }
        }
    }
}

TEST(Routes, FatTreeSpreadsUpwardsAndHasOneWayDown)
{
    const auto fabric = fat_tree(8, test::k100G, test::k100G).value();
    const Routes routes{fabric};
    const NodeId tor0{128};
    const NodeId agg0{160};
    const NodeId core0{192};
    EXPECT_EQ(copy(routes.ports(tor0, NodeId{127})), (std::vector<std::uint16_t>{4, 5, 6, 7}));
    EXPECT_EQ(copy(routes.ports(tor0, NodeId{3})), (std::vector<std::uint16_t>{3}));
    EXPECT_EQ(copy(routes.ports(agg0, NodeId{127})), (std::vector<std::uint16_t>{4, 5, 6, 7}));
    EXPECT_EQ(copy(routes.ports(agg0, NodeId{15})), (std::vector<std::uint16_t>{3}));
    EXPECT_EQ(copy(routes.ports(core0, NodeId{127})), (std::vector<std::uint16_t>{7}));
}

TEST(Routes, AvoidAFailedLinkOrReportThatThereIsNoPath)
{
    const auto fabric = ring(4, 1, test::k100G, test::k100G).value();
    const std::uint32_t s0_to_s1 = 4;
    const std::uint32_t s3_to_s0 = 7;
    const NodeId s0{4};
    const NodeId h1{1};
    EXPECT_EQ(copy(Routes{fabric}.ports(s0, h1)), (std::vector<std::uint16_t>{1}));
    const std::vector around{s0_to_s1};
    EXPECT_EQ(copy(Routes(fabric, around).ports(s0, h1)), (std::vector<std::uint16_t>{2}));
    const std::vector cut_off{s0_to_s1, s3_to_s0};
    EXPECT_TRUE(Routes(fabric, cut_off).ports(s0, h1).empty());
    const std::vector own_link{1U};
    EXPECT_TRUE(Routes(fabric, own_link).ports(s0, h1).empty());
}

TEST(Routes, HostsDoNotForward)
{
    auto fabric = dumbbell(1, 1, test::k100G, test::k100G).value();
    fabric.links.pop_back();
    fabric.nodes[0].ports.push_back({"eth1", {}, {}});  // h0 on both sides: a path that only leads through a host
    fabric.links.push_back({{End{NodeId{0}, 1}, End{NodeId{3}, 1}}, test::k100G.speed, {}});
    EXPECT_TRUE(Routes{fabric}.ports(NodeId{2}, NodeId{1}).empty());
}

TEST(Routes, StaticOnesReplaceOneEntryEvenByALoop)
{
    const auto fabric = ring(3, 2, test::k100G, test::k100G).value();
    Routes routes{fabric};
    const NodeId s0{6};
    const NodeId h5{5};
    const auto before = copy(routes.ports(s0, NodeId{4}));
    const std::vector<std::uint16_t> both{3, 2, 3};
    routes.set(s0, h5, both);
    EXPECT_EQ(copy(routes.ports(s0, h5)), (std::vector<std::uint16_t>{2, 3}));
    EXPECT_EQ(copy(routes.ports(s0, NodeId{4})), before);
    routes.set(s0, h5, {});
    EXPECT_TRUE(routes.ports(s0, h5).empty());
}

}  // namespace
}  // namespace petrel
