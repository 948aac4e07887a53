// Small lossless fabrics with links slow enough that simulating seconds is cheap, and agents on their nodes. Priorities
// 3 and 4 are lossless; a stopped NIC freezes its switch within a few milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/agent_in_twin.hpp"
#include "topology/generators.hpp"
#include "twin/twin.hpp"

namespace petrel::test {

using lab::AgentInTwin;
using twin::kMs;
using twin::kUs;
using twin::NodeId;
using twin::Ps;
using watchdog::EventKind;

inline constexpr topology::LinkShape k10G{BitRate{10'000'000'000}, std::chrono::microseconds{1}};
inline constexpr BitRate kHalfGigabit{500'000'000};

inline twin::Setup lossless(topology::Topology topology)
{
    twin::Setup setup;
    setup.topology = std::move(topology);
    for (const std::size_t priority : {3U, 4U}) {
        auto& group = setup.switch_profiles[0].groups[priority];
        group.lossless = true;
        group.headroom_bytes = 40'000;
    }
    setup.nic_profiles[0].lossless = 0b0001'1000;
    return setup;
}

inline std::unique_ptr<twin::Twin> build(twin::Setup setup)
{
    auto made = twin::Twin::build(std::move(setup));
    EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().what);
    return std::move(made.value());
}

inline twin::Flow endless(std::uint32_t from, std::uint32_t to, std::uint8_t priority = 3)
{
    twin::Flow flow;
    flow.src = NodeId{from};
    flow.dst = NodeId{to};
    flow.rate = kHalfGigabit;
    flow.dscp = priority;
    return flow;
}

// Four hosts (nodes 0 to 3) on one switch. Both senders to h0 also send to h3, which is independent of h0.
inline constexpr NodeId kSick{0};
inline constexpr NodeId kSwitch{4};
inline constexpr std::uint32_t kToSick = 0;
inline constexpr std::uint32_t kVictim = 2;

inline constexpr Ps kFault = 50 * kMs;  // when the NIC of h0 fails
inline constexpr double kFreezes = 10;  // the switch is paused at most this many ms after the fault

inline twin::Setup one_switch()
{
    auto setup = lossless(topology::single_switch(4, k10G).value());
    setup.flows = {endless(1, 0), endless(2, 0), endless(1, 3), endless(2, 3)};
    return setup;
}

inline Target queue_to(NodeId device, std::uint16_t port, std::uint8_t priority = 3)
{
    return {{DeviceId{device.value}, port}, Priority{priority}};
}
inline Target port_to(NodeId device, std::uint16_t port) { return {{DeviceId{device.value}, port}, std::nullopt}; }

// A preset for every port, with parameters changed as a user would: {{"action", "forward"}}.
inline watchdog::PolicyBook book(std::string_view preset,
                                 const std::vector<std::pair<std::string_view, std::string_view>>& changes = {})
{
    const auto* found = watchdog::find_preset(preset);
    EXPECT_NE(found, nullptr) << preset;
    watchdog::PolicyBook made;
    made.policies = {found->policy};
    made.assigned = {{}};
    for (const auto& [key, value] : changes) {
        const auto problem = watchdog::set_parameter(made.policies[0], *found, key, value);
        EXPECT_FALSE(problem.has_value()) << key << " = " << value;
    }
    return made;
}

inline std::unique_ptr<AgentInTwin> agent_on(twin::Twin& twin, NodeId node, const watchdog::PolicyBook& policies,
                                             const AgentInTwin::Options& options = {})
{
    auto made = AgentInTwin::make(twin, node, policies, options);
    EXPECT_TRUE(made.has_value());
    made.value()->start(0);
    return std::move(made.value());
}

inline void stop_pipeline(twin::Twin& twin, NodeId nic, Ps when)
{
    twin.at(nic, when, [&twin, nic](Ps now) { twin.nic_view(nic).stop_pipeline(now); });
}
inline void heal_pipeline(twin::Twin& twin, NodeId nic, Ps when)
{
    twin.at(nic, when, [&twin, nic](Ps now) { twin.nic_view(nic).heal_pipeline(now); });
}
inline void reboot(twin::Twin& twin, NodeId nic, Ps when)
{
    twin.at(nic, when, [&twin, nic](Ps now) { twin.nic_view(nic).reboot(now); });
}

// Packets of a flow that were delivered between two times.
inline std::uint64_t delivered(twin::Twin& twin, std::uint32_t flow, Ps from, Ps to)
{
    twin.run_until(from);
    const auto before = twin.flow(flow).delivered;
    twin.run_until(to);
    return twin.flow(flow).delivered - before;
}
inline constexpr std::uint64_t kPacketsIn100ms = 5'800;  // frames of a flow that is not paused

inline std::vector<watchdog::Event> events_of(const AgentInTwin& agent, EventKind kind)
{
    std::vector<watchdog::Event> found;
    for (const auto& event : agent.events()) {
        if (event.kind == kind) {
            found.push_back(event);
        }
    }
    return found;
}

inline std::vector<std::string> kinds_of(const AgentInTwin& agent)
{
    std::vector<std::string> kinds;
    for (const auto& event : agent.events()) {
        kinds.emplace_back(name(event.kind));
    }
    return kinds;
}

inline double ms(Instant t) { return static_cast<double>(t.time_since_epoch().count()) / 1e6; }

}  // namespace petrel::test
