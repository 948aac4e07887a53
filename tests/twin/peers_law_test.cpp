// Several processes that share a twin give the same result as one process, to the bit. Here the processes are threads,
// each with its own twin, and frames are exchanged in memory. tests/mpi uses real processes.
#include "fabric.hpp"

#include <barrier>
#include <thread>

#include "topology/fabrics.hpp"
#include "twin/shares.hpp"

namespace petrel::twin::test {
namespace {

// Shared by the processes: one desk for each, and a barrier between writing to a desk and reading from it.
struct Desks {
    explicit Desks(unsigned count) : all(count), barrier{count} {}

    struct Desk {
        Outlook outlook;
        std::vector<std::vector<BorderFrame>> frames;  // by receiver
        std::string bytes;
    };
    std::vector<Desk> all;
    std::barrier<> barrier;
};

class MemoryPeers final : public Peers {
public:
    MemoryPeers(Desks& desks, unsigned rank) : desks_{desks}, rank_{rank} {}

    unsigned count() const override { return static_cast<unsigned>(desks_.all.size()); }
    unsigned rank() const override { return rank_; }

    Outlook exchange(const Outlook& ours, std::span<const std::vector<BorderFrame>> outgoing,
                     std::vector<BorderFrame>& incoming) override
    {
        desks_.all[rank_].outlook = ours;
        desks_.all[rank_].frames.assign(outgoing.begin(), outgoing.end());
        desks_.barrier.arrive_and_wait();
        Outlook common{kForever, true};
        incoming.clear();
        for (const auto& desk : desks_.all) {
            common.earliest = std::min(common.earliest, desk.outlook.earliest);
            common.done = common.done && desk.outlook.done;
            incoming.insert(incoming.end(), desk.frames[rank_].begin(), desk.frames[rank_].end());
        }
        desks_.barrier.arrive_and_wait();
        return common;
    }

    std::vector<std::string> gather(std::string_view ours) override
    {
        desks_.all[rank_].bytes = ours;
        desks_.barrier.arrive_and_wait();
        std::vector<std::string> all;
        for (const auto& desk : desks_.all)
            all.push_back(desk.bytes);
        desks_.barrier.arrive_and_wait();
        return all;
    }

private:
    Desks& desks_;
    unsigned rank_;
};

// The result of a run.
struct Outcome {
    Totals totals;
    std::vector<FlowReading> flows;
    Ps end{};
};

Outcome outcome_of(const Twin& twin)
{
    Outcome outcome{twin.totals(), {}, twin.now()};
    for (std::uint32_t i = 0; i != twin.setup().flows.size(); ++i)
        outcome.flows.push_back(twin.flow(i));
    return outcome;
}

void expect_equal(const Outcome& a, const Outcome& b)
{
    RC_ASSERT(a.totals.digest == b.totals.digest);
    RC_ASSERT(a.totals.packet_hops == b.totals.packet_hops);
    RC_ASSERT(a.totals.events == b.totals.events);
    RC_ASSERT(a.totals.windows == b.totals.windows);
    RC_ASSERT(a.totals.injected == b.totals.injected);
    RC_ASSERT(a.totals.delivered == b.totals.delivered);
    RC_ASSERT(a.totals.in_flight == b.totals.in_flight);
    RC_ASSERT(a.totals.drops.by_cause == b.totals.drops.by_cause);
    RC_ASSERT(a.totals.last_ack == b.totals.last_ack);
    RC_ASSERT(a.end == b.end);
    for (std::size_t i = 0; i != a.flows.size(); ++i) {
        RC_ASSERT(a.flows[i].sent == b.flows[i].sent);
        RC_ASSERT(a.flows[i].acked == b.flows[i].acked);
        RC_ASSERT(a.flows[i].delivered == b.flows[i].delivered);
        RC_ASSERT(a.flows[i].marked == b.flows[i].marked);
        RC_ASSERT(a.flows[i].finished_at == b.flows[i].finished_at);
    }
}

// Runs `story` on one twin that `processes` processes share. Their results must be equal.
template <class Story>
std::vector<Outcome> run_shared(const Setup& set, unsigned processes, Story story)
{
    Desks desks{processes};
    std::vector<Outcome> outcomes(processes);
    {
        std::vector<std::jthread> threads;
        for (unsigned rank = 0; rank != processes; ++rank)
            threads.emplace_back([&, rank] {
                MemoryPeers peers{desks, rank};
                const auto twin = Twin::build(set, &peers).value();
                story(*twin);
                outcomes[rank] = outcome_of(*twin);
            });
    }
    return outcomes;
}

using petrel::test::any_fabric;
using petrel::test::nodes_of;
using petrel::test::number;

Setup any_setup()
{
    auto set = setup(any_fabric());
    set.threads = number(1, 2);
    const auto hosts = nodes_of(set.topology, topology::Kind::host);
    const auto any_host = [&] { return hosts[number(0, static_cast<std::uint32_t>(hosts.size()) - 1)]; };
    for (std::uint32_t i = 0; i != 12; ++i) {
        const auto src = any_host();
        const auto dst = any_host();
        if (src != dst)
            set.flows.push_back({.src = src, .dst = dst, .packets = number(1, 300), .start = number(0, 20) * kUs});
    }
    return set;
}

RC_GTEST_PROP(PeersLaw, SeveralProcessesEqualOne, ())
{
    const Setup set = any_setup();
    RC_PRE(!set.flows.empty());
    const auto stormy = set.flows.front().dst;
    const auto& host_link = set.topology.links[stormy.value].ends[1];
    const auto cut = number(0, static_cast<std::uint32_t>(set.topology.links.size()) - 1);
    const bool to_the_end = number(0, 1) == 1;

    // A storm, its mitigation at the stormed port, and a cable that fails for a while.
    const auto story = [&](Twin& twin) {
        storm(twin, stormy.value, holding(), 5 * kUs);
        if (twin.is_switch(host_link.node)) {
            twin.at(host_link.node, 60 * kUs, [&](Ps now) {
                auto view = twin.switch_view(host_link.node);
                const auto port = static_cast<std::uint8_t>(host_link.port);
                auto registers = view.registers(port);
                registers.ignore_pause = kLosslessBit;
                registers.discard_egress = kLosslessBit;
                view.write(port, registers, now);
            });
        }
        twin.cut(cut, 30 * kUs);
        twin.repair(cut, 50 * kUs);
        twin.run_until(90 * kUs);  // ends a window early
        if (to_the_end)
            twin.run_until_flows_finish(400 * kUs);
        else
            twin.run_until(200 * kUs);
    };
    const auto alone = build(set);
    story(*alone);
    const auto expected = outcome_of(*alone);
    for (const auto& shared : run_shared(set, number(1, 4), story))
        expect_equal(shared, expected);
}

TEST(Shares, KeepPodsTogetherAndEvenOut)
{
    const auto fabric = topology::fat_tree(8, kLink, kLink).value();
    const auto share = shares(fabric, 2);
    for (std::uint32_t host = 0; host != 128; ++host)
        EXPECT_EQ(share[host], host / 64) << host;
    for (std::uint32_t i = 0; i != 32; ++i) {
        EXPECT_EQ(share[128 + i], i / 16) << "ToR " << i;
        EXPECT_EQ(share[160 + i], i / 16) << "Agg " << i;
    }
    for (std::uint32_t core = 0; core != 16; ++core)
        EXPECT_EQ(share[192 + core], core / 8) << core;
}

RC_GTEST_PROP(Shares, HostsGoWithTheirSwitchAndEveryNodeIsDealtOut, ())
{
    const auto fabric = any_fabric();
    const auto count = number(1, 5);
    const auto share = shares(fabric, count);
    RC_ASSERT(share.size() == fabric.nodes.size());
    for (const auto& link : fabric.links)
        if (fabric.nodes[link.ends[0].node.value].kind == topology::Kind::host)
            RC_ASSERT(share[link.ends[0].node.value] == share[link.ends[1].node.value]);
    RC_ASSERT(*std::max_element(share.begin(), share.end()) < count);
}

}  // namespace
}  // namespace petrel::twin::test
