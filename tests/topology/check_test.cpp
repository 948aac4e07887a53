// Errors in hand-written topologies, and their messages.
#include <gtest/gtest.h>

#include "fabrics.hpp"
#include "support/golden.hpp"
#include "topology/check.hpp"

namespace petrel {
namespace {

using namespace topology;

constexpr BitRate kFast{100'000'000'000};

Node make(const char* name, Kind kind, std::initializer_list<const char*> ports)
{
    Node node{name, kind, 0, {}};
    for (const auto* port : ports) {
        node.ports.push_back({port, {}, {}});
    }
    return node;
}

Topology two_hosts_and_a_switch()
{
    return {{make("a", Kind::host, {"eth0"}), make("b", Kind::host, {"eth0"}),
             make("tor", Kind::fabric_switch, {"Ethernet0", "Ethernet1", "Ethernet2"})},
            {{{End{NodeId{0}, 0}, End{NodeId{2}, 0}}, kFast, Delay{0}},
             {{End{NodeId{1}, 0}, End{NodeId{2}, 1}}, kFast, Delay{5}}}};
}

TEST(TopologyCheck, APortMayStayWithoutALink) { EXPECT_TRUE(problems(two_hosts_and_a_switch()).empty()); }

TEST(TopologyCheck, ReportsAllProblems)
{
    auto broken = two_hosts_and_a_switch();
    broken.nodes.push_back(make("tor", Kind::fabric_switch, {"Ethernet0", "Ethernet0", ""}));
    broken.nodes.push_back(make("", Kind::fabric_switch, {}));
    broken.nodes.push_back(make("dual", Kind::host, {"eth0", "eth1"}));
    broken.nodes.push_back(make("bare", Kind::host, {}));
    const auto link = [&](End a, End b, BitRate speed = kFast, Delay delay = {}) {
        broken.links.push_back({{a, b}, speed, delay});
    };
    link({NodeId{2}, 1}, {NodeId{3}, 0});
    link({NodeId{2}, 2}, {NodeId{2}, 2});
    link({NodeId{3}, 1}, {NodeId{3}, 2});
    link({NodeId{9}, 0}, {NodeId{2}, 7});
    link({NodeId{2}, 7}, {NodeId{2}, 2});
    link({NodeId{2}, 2}, {NodeId{3}, 2}, BitRate{0}, Delay{-1});
    std::string text;
    for (const auto& problem : problems(broken)) {
        text += problem + "\n";
    }
    test::expect_golden(test::golden("topology/problems.txt"), text);
}

}  // namespace
}  // namespace petrel
