// A random fabric with random traffic and faults, as data: the same plan can be carried out on several twins.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "fabric.hpp"
#include "topology/fabrics.hpp"

namespace petrel::twin::test {

using petrel::test::number;

inline Ps moment(Ps from, Ps to) { return from + (to - from) * number(0, 1'000) / 1'000; }

struct Plan {
    Setup set;
    std::vector<std::function<void(Twin&)>> faults;

    std::vector<NodeId> hosts;
    std::vector<NodeId> switches;

    NodeId any_host() const { return hosts[number(0, static_cast<std::uint32_t>(hosts.size()) - 1)]; }
    NodeId any_switch() const { return switches[number(0, static_cast<std::uint32_t>(switches.size()) - 1)]; }
    std::uint32_t any_link() const { return number(0, static_cast<std::uint32_t>(set.topology.links.size()) - 1); }

    std::unique_ptr<Twin> start() const
    {
        auto twin = build(set);
        for (const auto& fault : faults)
            fault(*twin);
        return twin;
    }
};

inline Plan plan_on(topology::Topology topology)
{
    Plan plan;
    plan.hosts = petrel::test::nodes_of(topology, topology::Kind::host);
    plan.switches = petrel::test::nodes_of(topology, topology::Kind::fabric_switch);
    plan.set = setup(std::move(topology));
    auto& profile = plan.set.switch_profiles[0];
    profile.groups[4] = lossless_group();
    profile.buffer_bytes = number(6, 16) << 20U;
    profile.pause.response = number(0, 1) * 300 * kNs;
    profile.queues[kLossless].ecn = {number(5, 100) * 1'000, number(101, 300) * 1'000, 0.5};
    plan.set.nic_profiles[0].retransmit_after = 200 * kUs;
    plan.set.seed = number(1, 1'000);
    return plan;
}

inline void add_flows(Plan& plan, std::uint32_t count, Ps until)
{
    if (plan.hosts.size() < 2)
        return;
    for (std::uint32_t i = 0; i != count; ++i) {
        Flow flow;
        flow.src = plan.any_host();
        do
            flow.dst = plan.any_host();
        while (flow.dst == flow.src);
        flow.packets = number(1, 600);
        flow.frame_bytes = static_cast<std::uint16_t>(number(64, 9'216));
        flow.dscp = static_cast<std::uint8_t>(number(3, 4));
        flow.start = moment(0, until);
        flow.reliable = number(0, 4) != 0;
        flow.window_packets = flow.reliable ? number(0, 1) * number(1, 200) : 0;
        flow.congestion_control = number(0, 3) == 0;
        flow.rate.bps = number(0, 1) * number(1, 90) * 1'000'000'000ULL;
        plan.set.flows.push_back(flow);
    }
}

// ---------------------------------------------------------------------------------------------------- faults

inline void add_alphas(Plan& plan, Ps begin, Ps end)
{
    const NodeId at = plan.any_switch();
    const auto exponent = static_cast<std::int8_t>(static_cast<int>(number(0, 8)) - 6);
    plan.faults.emplace_back([=](Twin& twin) {
        const auto set_all = [&twin, at](std::int8_t alpha) {
            return [&twin, at, alpha](Ps) {
                auto view = twin.switch_view(at);
                for (std::uint8_t port = 0; port != view.ports(); ++port)
                    view.set_alpha(port, kLossless, alpha);
            };
        };
        twin.at(at, begin, set_all(exponent));
        twin.at(at, end, set_all(-3));
    });
}

inline void add_slow_port(Plan& plan, Ps begin, Ps end)
{
    const NodeId at = plan.any_switch();
    const auto port = static_cast<std::uint8_t>(
        number(0, static_cast<std::uint32_t>(plan.set.topology.nodes[at.value].ports.size()) - 1));
    const BitRate rate{number(0, 40) * 1'000'000'000ULL};
    plan.faults.emplace_back([=](Twin& twin) {
        twin.at(at, begin, [=, &twin](Ps now) {
            auto view = twin.switch_view(at);
            rate.bps == 0 ? view.stop_egress(port, now) : view.limit_egress(port, rate, now);
        });
        twin.at(at, end, [=, &twin](Ps now) { twin.switch_view(at).heal_egress(port, now); });
    });
}

// Pauses of all kinds: they delay frames but never drop any. A host has either a storm or a slow pipeline, because a
// storm's XON would admit frames for which the NIC has no room.
inline void add_pauses(Plan& plan, Ps until)
{
    const NodeId host = plan.any_host();
    const bool storms = host.value % 2 == 0;
    const Ps begin = moment(0, until / 2);
    const Ps end = moment(begin, until);
    if (number(0, 3) == 0)
        return add_alphas(plan, begin, end);
    if (number(0, 3) == 0)
        return add_slow_port(plan, begin, end);
    if (storms) {
        const Storm any{.priorities = static_cast<std::uint8_t>(number(0, 255)),
                        .quanta = static_cast<std::uint16_t>(number(0, 65'535)),
                        .times = 0,
                        .period = number(100, 50'000) * kNs,
                        .stop = end,
                        .burst = number(1, 50) * kUs,
                        .silence = number(0, 1) * number(1, 50) * kUs,
                        .xon_every = number(0, 3),
                        .begun = 0,
                        .sent = 0};
        plan.faults.emplace_back([=](Twin& twin) { storm(twin, host.value, any, begin); });
    } else {
        const BitRate rate{number(0, 40) * 1'000'000'000ULL};
        plan.faults.emplace_back([=](Twin& twin) {
            twin.at(host, begin, [&twin, host, rate](Ps now) {
                auto nic = twin.nic_view(host);
                rate.bps == 0 ? nic.stop_pipeline(now) : nic.limit_pipeline(rate, now);
            });
            twin.at(host, end, [&twin, host](Ps now) { twin.nic_view(host).heal_pipeline(now); });
        });
    }
}

inline PortRegisters any_registers(PortRegisters r)
{
    const auto mask = [] { return static_cast<std::uint8_t>(number(0, 2) == 0 ? number(0, 255) : 0); };
    r.pause_rx = static_cast<std::uint8_t>(r.pause_rx & ~mask());
    r.pause_tx = static_cast<std::uint8_t>(r.pause_tx & ~mask());
    r.ignore_pause = mask();
    r.discard_egress = mask();
    r.discard_ingress = mask();
    r.send_no_pause = mask();
    r.lossless_off = mask();
    r.max_frame_bytes = static_cast<std::uint16_t>(number(0, 2) == 0 ? number(0, 9'216) : 9'216);
    r.enabled = number(0, 5) != 0;
    return r;
}

// Faults, and the reactions of software and hardware. Frames may be dropped, each with a cause.
inline void add_breakage(Plan& plan, Ps until)
{
    const Ps begin = moment(0, until / 2);
    const Ps end = moment(begin, until);
    const NodeId at = plan.any_switch();
    const auto port = static_cast<std::uint8_t>(
        number(0, static_cast<std::uint32_t>(plan.set.topology.nodes[at.value].ports.size()) - 1));
    switch (number(0, 4)) {
    case 0: {
        const auto link = plan.any_link();
        plan.faults.emplace_back([=](Twin& twin) {
            twin.cut(link, begin);
            twin.repair(link, end);
        });
        break;
    }
    case 1: {
        const NodeId host = plan.any_host();
        plan.faults.emplace_back([=](Twin& twin) {
            twin.at(host, begin, [&twin, host](Ps now) { twin.nic_view(host).die(now); });
            twin.at(host, end, [&twin, host](Ps now) { twin.nic_view(host).reboot(now); });
        });
        break;
    }
    case 2: {
        const auto link = plan.any_link();
        const BitRate speed{(number(0, 1) == 0 ? 10U : 200U) * 1'000'000'000ULL};
        plan.faults.emplace_back([=](Twin& twin) {
            twin.set_speed(link, speed, begin, (end - begin) / 2);
            twin.set_speed(link, k100G, end, 20 * kUs);
        });
        break;
    }
    case 3: {
        const auto drops = number(0, 1) == 0;
        plan.faults.emplace_back([=](Twin& twin) {
            twin.at(at, begin, [=, &twin](Ps) {
                auto view = twin.switch_view(at);
                view.set_recovery_action(port, drops);
                view.set_deadlock_timers(port, kLossless, 20 * kUs, 30 * kUs);
                view.set_pause_limit(port, 25 * kUs);
            });
            twin.at(at, end, [=, &twin](Ps) { twin.switch_view(at).set_deadlock_timers(port, kLossless, 0, 0); });
        });
        break;
    }
    default: {
        PortRegisters usual;
        usual.pause_rx = usual.pause_tx = 1U << 3U | 1U << 4U;
        const PortRegisters wanted = any_registers(usual);
        plan.faults.emplace_back([=](Twin& twin) {
            twin.at(at, begin, [=, &twin](Ps now) { twin.switch_view(at).write(port, wanted, now); });
            twin.at(at, end, [=, &twin](Ps now) { twin.switch_view(at).write(port, usual, now); });
        });
    }
    }
}

inline void add_reroute(Plan& plan, Ps until)
{
    const Ps begin = moment(0, until / 2);
    const Ps end = moment(begin, until);
    const auto link = plan.any_link();
    plan.faults.emplace_back([=](Twin& twin) {
        twin.reroute(std::vector{link}, begin);
        twin.reroute({}, end);
    });
}

}  // namespace petrel::twin::test
