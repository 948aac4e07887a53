#include "topology/generators.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topology/builder.hpp"

namespace petrel::topology {
namespace {

std::uint64_t product(std::uint64_t a, std::uint64_t b, std::uint64_t c = 1) { return a * b * c; }

NodeId switch_with_hosts(Builder& build, std::string name, std::uint32_t hosts, std::uint32_t more_ports)
{
    const auto id = build.add_switch(std::move(name), 1, hosts + more_ports);
    for (std::uint32_t h = 0; h < hosts; ++h) {
        build.attach_next_host(id, h);
    }
    return id;
}

struct TierNames {
    std::string_view leaf, spine, core;
};

// The caller has checked the numbers.
Topology three_tiers(const Clos3& n, const TierNames& names, LinkShape host_links, LinkShape fabric_links)
{
    const auto cores_per_plane = n.cores / n.spines_per_pod;
    Builder build{n.pods * n.leaves_per_pod * n.hosts_per_leaf, host_links};
    std::vector<NodeId> leaves;
    std::vector<NodeId> spines;
    std::vector<NodeId> cores;
    for (std::uint32_t pod = 0; pod < n.pods; ++pod) {
        for (std::uint32_t leaf = 0; leaf < n.leaves_per_pod; ++leaf) {
            leaves.push_back(switch_with_hosts(build, fmt::format("{}{}-{}", names.leaf, pod, leaf), n.hosts_per_leaf,
                                               n.spines_per_pod));
        }
    }
    for (std::uint32_t pod = 0; pod < n.pods; ++pod) {
        for (std::uint32_t spine = 0; spine < n.spines_per_pod; ++spine) {
            spines.push_back(build.add_switch(fmt::format("{}{}-{}", names.spine, pod, spine), 2,
                                              n.leaves_per_pod + cores_per_plane));
        }
    }
    for (std::uint32_t plane = 0; plane < n.spines_per_pod; ++plane) {
        for (std::uint32_t core = 0; core < cores_per_plane; ++core) {
            cores.push_back(build.add_switch(fmt::format("{}{}-{}", names.core, plane, core), 3, n.pods));
        }
    }

    for (std::uint32_t pod = 0; pod < n.pods; ++pod) {
        for (std::uint32_t leaf = 0; leaf < n.leaves_per_pod; ++leaf) {
            for (std::uint32_t spine = 0; spine < n.spines_per_pod; ++spine) {
                build.connect(leaves[pod * n.leaves_per_pod + leaf], n.hosts_per_leaf + spine,
                              spines[pod * n.spines_per_pod + spine], leaf, fabric_links);
            }
        }
    }
    for (std::uint32_t pod = 0; pod < n.pods; ++pod) {
        for (std::uint32_t plane = 0; plane < n.spines_per_pod; ++plane) {
            for (std::uint32_t core = 0; core < cores_per_plane; ++core) {
                build.connect(spines[pod * n.spines_per_pod + plane], n.leaves_per_pod + core,
                              cores[plane * cores_per_plane + core], pod, fabric_links);
            }
        }
    }
    return build.take();
}

}  // namespace

Result<Topology> single_switch(std::uint32_t hosts, LinkShape host_links)
{
    const auto broken =
        Limits{"single switch"}.within("hosts", hosts, 1, kMaxPorts).sound("host link", host_links).broken();
    if (broken) {
        return tl::unexpected{*broken};
    }
    Builder build{hosts, host_links};
    switch_with_hosts(build, "s0", hosts, 0);
    return build.take();
}

Result<Topology> dumbbell(std::uint32_t left, std::uint32_t right, LinkShape host_links, LinkShape middle)
{
    const auto broken = Limits{"dumbbell"}
                            .within("left", left, 1, kMaxPorts - 1)
                            .within("right", right, 1, kMaxPorts - 1)
                            .sound("host link", host_links)
                            .sound("middle link", middle)
                            .broken();
    if (broken) {
        return tl::unexpected{*broken};
    }
    Builder build{left + right, host_links};
    const auto s0 = switch_with_hosts(build, "s0", left, 1);
    const auto s1 = switch_with_hosts(build, "s1", right, 1);
    build.connect(s0, left, s1, right, middle);
    return build.take();
}

Result<Topology> ring(std::uint32_t switches, std::uint32_t hosts_each, LinkShape host_links, LinkShape fabric_links)
{
    const auto broken = Limits{"ring"}
                            .within("switches", switches, 3, kMaxHosts)
                            .within("hosts each", hosts_each, 1, kMaxPorts - 2)
                            .within("hosts in all", product(switches, hosts_each), 1, kMaxHosts)
                            .sound("host link", host_links)
                            .sound("fabric link", fabric_links)
                            .broken();
    if (broken) {
        return tl::unexpected{*broken};
    }
    Builder build{switches * hosts_each, host_links};
    std::vector<NodeId> around;
    around.reserve(switches);
    for (std::uint32_t s = 0; s < switches; ++s) {
        around.push_back(switch_with_hosts(build, fmt::format("s{}", s), hosts_each, 2));
    }
    for (std::uint32_t s = 0; s < switches; ++s) {
        build.connect(around[s], hosts_each, around[(s + 1) % switches], hosts_each + 1, fabric_links);
    }
    return build.take();
}

Result<Topology> leaf_spine(std::uint32_t leaves, std::uint32_t spines, std::uint32_t hosts_per_leaf,
                            LinkShape host_links, LinkShape fabric_links)
{
    const auto broken = Limits{"leaf-spine"}
                            .within("leaves", leaves, 1, kMaxPorts)
                            .within("spines", spines, 1, kMaxPorts - 1)
                            .within("hosts per leaf", hosts_per_leaf, 1, kMaxPorts - spines)
                            .within("hosts in all", product(leaves, hosts_per_leaf), 1, kMaxHosts)
                            .sound("host link", host_links)
                            .sound("fabric link", fabric_links)
                            .broken();
    if (broken) {
        return tl::unexpected{*broken};
    }
    Builder build{leaves * hosts_per_leaf, host_links};
    std::vector<NodeId> lower;
    lower.reserve(leaves);
    std::vector<NodeId> upper;
    upper.reserve(spines);
    for (std::uint32_t l = 0; l < leaves; ++l) {
        lower.push_back(switch_with_hosts(build, fmt::format("leaf{}", l), hosts_per_leaf, spines));
    }
    for (std::uint32_t s = 0; s < spines; ++s) {
        upper.push_back(build.add_switch(fmt::format("spine{}", s), 2, leaves));
    }
    for (std::uint32_t l = 0; l < leaves; ++l) {
        for (std::uint32_t s = 0; s < spines; ++s) {
            build.connect(lower[l], hosts_per_leaf + s, upper[s], l, fabric_links);
        }
    }
    return build.take();
}

Result<Topology> clos3(const Clos3& n, LinkShape host_links, LinkShape fabric_links)
{
    const auto broken =
        Limits{"three-tier Clos"}
            .within("pods", n.pods, 1, kMaxPorts)
            .within("spines per pod", n.spines_per_pod, 1, kMaxPorts - 1)
            .within("leaves per pod", n.leaves_per_pod, 1, kMaxPorts - 1)
            .within("hosts per leaf", n.hosts_per_leaf, 1, kMaxPorts - n.spines_per_pod)
            .within("cores", n.cores, n.spines_per_pod, product(n.spines_per_pod, kMaxPorts - n.leaves_per_pod))
            .require(n.spines_per_pod != 0 && n.cores % n.spines_per_pod == 0, "cores", n.cores,
                     fmt::format("a multiple of the {} spines per pod", n.spines_per_pod))
            .within("hosts in all", product(n.pods, n.leaves_per_pod, n.hosts_per_leaf), 1, kMaxHosts)
            .sound("host link", host_links)
            .sound("fabric link", fabric_links)
            .broken();
    if (broken) {
        return tl::unexpected{*broken};
    }
    return three_tiers(n, {"leaf", "spine", "core"}, host_links, fabric_links);
}

Result<Topology> fat_tree(std::uint32_t k, LinkShape host_links, LinkShape fabric_links)
{
    constexpr std::uint32_t kLargest = 40;
    static_assert(kLargest * kLargest * kLargest / 4 <= kMaxHosts);
    const auto broken = Limits{"fat-tree"}
                            .require(k >= 2 && k <= kLargest && k % 2 == 0, "k", k,
                                     fmt::format("an even number from 2 to {}", kLargest))
                            .sound("host link", host_links)
                            .sound("fabric link", fabric_links)
                            .broken();
    if (broken) {
        return tl::unexpected{*broken};
    }
    const auto half = k / 2;
    return three_tiers({k, half, half, half * half, half}, {"tor", "agg", "core"}, host_links, fabric_links);
}

}  // namespace petrel::topology
