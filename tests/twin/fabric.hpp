// Small fabrics and shared helpers for tests of the twin: a setup in which only priority 3 is lossless, a NIC that
// pauses its switch, the frames that crossed a link.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "topology/generators.hpp"
#include "twin/twin.hpp"

namespace petrel::twin::test {

using topology::LinkShape;

inline constexpr BitRate k100G{100'000'000'000};
inline constexpr LinkShape kLink{k100G, std::chrono::microseconds{1}};
inline constexpr Ps kBitsOfQuantum = 512;
inline constexpr Ps kPsPerByte = 80;     // at 100 Gb/s
inline constexpr Ps kFrame = 1048 + 20;  // bytes, on the link
inline constexpr std::uint8_t kLossless = 3;
inline constexpr std::uint8_t kLosslessBit = 1U << kLossless;

// Sanitizers are ten times slower or more; fewer cases are enough to find errors with them.
#ifdef PETREL_SANITIZED
inline constexpr int kScale = 10;
#else
inline constexpr int kScale = 1;
#endif

constexpr Ps ps(std::chrono::nanoseconds t) { return static_cast<Ps>(t.count()) * kNs; }

inline PgProfile lossless_group(Limit limit = {}, std::uint32_t headroom_bytes = 100'000)
{
    PgProfile group;
    group.lossless = true;
    group.limit = limit;
    group.headroom_bytes = headroom_bytes;
    return group;
}
inline PgProfile lossy_group(Limit limit = {})
{
    PgProfile group;
    group.reserved_bytes = 0;
    group.limit = limit;
    return group;
}
constexpr Limit fixed_limit(std::uint32_t bytes) { return {Limit::Mode::fixed, 0, bytes}; }

inline Setup setup(topology::Topology topology)
{
    Setup set;
    set.topology = std::move(topology);
    set.switch_profiles.front().groups.fill(lossy_group());
    set.switch_profiles.front().groups[kLossless] = lossless_group();
    return set;
}

// Hosts 0 to n-1 on the ports with the same number of switch n.
inline Setup one_switch(std::uint32_t hosts, LinkShape link = kLink)
{
    return setup(topology::single_switch(hosts, link).value());
}

// The switch of one_switch(2), and its port to host 1.
inline constexpr NodeId kSwitch{2};
inline constexpr std::uint8_t kPort = 1;

inline std::unique_ptr<Twin> build(Setup set)
{
    auto twin = Twin::build(std::move(set));
    EXPECT_TRUE(twin) << twin.error().what;
    return std::move(*twin);
}

inline Flow open_loop(std::uint32_t src, std::uint32_t dst, std::uint64_t packets = 0)
{
    return {.src = NodeId{src}, .dst = NodeId{dst}, .packets = packets, .reliable = false};
}

inline void storm(Twin& twin, std::uint32_t host, Storm storm, Ps from)
{
    twin.at(NodeId{host}, from, [&twin, host, storm](Ps now) { twin.nic_view(NodeId{host}).start_storm(storm, now); });
}

// Pause of one priority without a break, at any speed up to 400 Gb/s.
inline Storm holding(std::uint8_t priorities = kLosslessBit) { return {.priorities = priorities, .period = 40 * kUs}; }

// The frames of one kind that arrived at an end of a link.
inline std::vector<Tap::Record> frames(const Twin& twin, std::uint32_t link, std::size_t end, Kind kind)
{
    std::vector<Tap::Record> found;
    for (const auto& record : twin.captured(link, end))
        if (record.packet.kind() == kind)
            found.push_back(record);
    return found;
}

inline std::uint64_t pauses_sent(Twin& twin, NodeId fabric_switch)
{
    std::uint64_t sum = 0;
    const auto view = twin.switch_view(fabric_switch);
    for (std::uint8_t port = 0; port != view.ports(); ++port)
        sum += view.queue(port, kLossless, twin.now()).pause_sent;
    return sum;
}

}  // namespace petrel::twin::test
