// A storm that a watchdog contains and releases, in a fabric that the processes of one mpirun share. The first of them
// prints all that can be known about the run.
#include <fmt/format.h>

#include "lab/agent_in_twin_fabric.hpp"
#include "twin_mpi/mpi_peers.hpp"

namespace petrel::test {
namespace {

constexpr std::uint32_t kHosts = 6;

twin::Setup fabric()
{
    auto setup = lossless(topology::leaf_spine(3, 2, 2, k10G, k10G).value());
    for (std::uint32_t host = 0; host != kHosts; ++host) {
        auto flow = endless(host, (host + 2) % kHosts);
        flow.rate = BitRate{10'000'000 + 1'300'000 * host};  // all different: every process is the first now and then
        setup.flows.push_back(flow);
    }
    return setup;
}

std::string story(twin::Peers& peers)
{
    const auto twin = twin::Twin::build(fabric(), &peers).value();
    std::vector<std::unique_ptr<AgentInTwin>> agents;
    for (std::uint32_t node = kHosts; node != twin->setup().topology.nodes.size(); ++node)
        agents.push_back(agent_on(*twin, NodeId{node}, book("sonic", {{"detect_ms", "100"}, {"restore_ms", "100"}})));
    twin->at(kSick, 20 * kMs, [&](Ps now) {
        twin->nic_view(kSick).start_storm({.priorities = 1U << 3U, .period = kMs, .stop = 250 * kMs}, now);
    });
    twin->run_until(600 * kMs);

    const auto totals = twin->totals();
    auto text =
        fmt::format("hops {} events {} windows {} injected {} delivered {} in flight {} drops {} digest {:016x}\n",
                    totals.packet_hops, totals.events, totals.windows, totals.injected, totals.delivered,
                    totals.in_flight, fmt::join(totals.drops.by_cause, "/"), totals.digest);
    for (std::uint32_t i = 0; i != twin->setup().flows.size(); ++i) {
        const auto flow = twin->flow(i);
        text += fmt::format("flow {} sent {} acked {} delivered {}\n", i, flow.sent, flow.acked, flow.delivered);
    }
    for (const auto& agent : agents) {  // events are known where the agent's node runs
        std::string known;
        for (const auto& event : agent->events())
            known += fmt::format("{} {} {}\n", event.at.time_since_epoch().count(),
                                 to_string(agent->watchlist().inventory, event.target), name(event.kind));
        for (const auto& heard : peers.gather(known))
            text += heard;
    }
    return text;
}

}  // namespace
}  // namespace petrel::test

int main(int argc, char** argv)
{
    petrel::twin_mpi::MpiPeers peers{argc, argv};
    const auto text = petrel::test::story(peers);
    if (peers.rank() == 0)
        fmt::print("{}", text);
}
