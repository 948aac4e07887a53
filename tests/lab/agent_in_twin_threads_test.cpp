// Agents on every switch and every NIC of a fabric, several storms at once: bit-identical runs for any number of
// threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "lab/agent_in_twin_fabric.hpp"

namespace petrel::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::uint32_t kHosts = 48;
constexpr std::uint32_t kNodes = kHosts + 6 + 2;

struct Ran {
    std::uint64_t digest{};
    std::vector<std::string> events;  // of all agents, node by node
    bool operator==(const Ran&) const = default;
};

// A policy with times of a few milliseconds, so that the run is short although the fabric is busy.
watchdog::PolicyBook hasty(std::string_view preset)
{
    auto made = book(preset);
    made.policies[0].detect = std::chrono::milliseconds{2};
    made.policies[0].restore = std::chrono::milliseconds{1};
    made.policies[0].poll = std::chrono::microseconds{500};
    return made;
}

Ran run(unsigned threads)
{
    auto setup = lossless(topology::leaf_spine(6, 2, 8, k10G, k10G).value());
    setup.threads = threads;
    for (std::uint32_t host = 0; host != kHosts; ++host) {
        setup.flows.push_back(endless(host, (host + 11) % kHosts));
        setup.flows.back().rate = BitRate{8'000'000'000};  // enough to have most nodes busy in every window
    }
    auto twin = build(std::move(setup));
    std::vector<std::unique_ptr<AgentInTwin>> agents;
    AgentInTwin::Options options;
    options.look_takes = std::chrono::microseconds{100};
    options.command_takes = std::chrono::microseconds{300};
    for (std::uint32_t node = 0; node != kNodes; ++node) {
        agents.push_back(agent_on(*twin, NodeId{node}, hasty(node < kHosts ? "rdma-nic" : "rdma-switch"), options));
    }
    agents[0]->kill(300 * kUs);  // without these two NIC agents the switches have to mitigate
    agents[47]->kill(300 * kUs);
    stop_pipeline(*twin, NodeId{0}, 400 * kUs);
    stop_pipeline(*twin, NodeId{47}, 500 * kUs);
    stop_pipeline(*twin, NodeId{13}, 600 * kUs);
    heal_pipeline(*twin, NodeId{47}, 5 * kMs);
    twin->run_until(8 * kMs);

    Ran ran{twin->totals().digest, {}};
    for (std::uint32_t node = 0; node != kNodes; ++node) {
        for (const auto& event : agents[node]->events()) {
            ran.events.push_back(fmt::format("{} {} {} {}", node, event.at.time_since_epoch().count(),
                                             to_string(agents[node]->watchlist().inventory, event.target),
                                             name(event.kind)));
        }
    }
    return ran;
}

TEST(AgentInTwinThreads, TheRunDoesNotDependOnTheirNumber)
{
    const auto alone = run(1);
    EXPECT_THAT(alone.events, Contains(HasSubstr("storm_detected")));
    EXPECT_THAT(alone.events, Contains(HasSubstr("storm_restored")));
    EXPECT_THAT(alone.events, Contains(HasSubstr("nic_latched")));
    for (const unsigned threads : {2U, 3U}) {
        EXPECT_EQ(run(threads), alone) << threads << " threads";
    }
}

}  // namespace
}  // namespace petrel::test
