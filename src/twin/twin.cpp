#include "twin/twin.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "topology/check.hpp"
#include "topology/routes.hpp"
#include "twin/digest.hpp"
#include "twin/engine.hpp"

namespace petrel::twin {

struct Twin::Parts {
    Setup setup;
    Arena arena;
    std::span<Sender> senders;
    std::span<Receiver> receivers;
    std::vector<std::unique_ptr<HostNode>> hosts;
    std::vector<std::unique_ptr<SwitchNode>> switches;
    std::vector<NodeRef> nodes;
    std::unique_ptr<Engine> engine;
};

namespace {

std::uint32_t pace_of(BitRate rate) { return static_cast<std::uint32_t>(8 * kSecond * 1024 / rate.bps); }

OutPort& out_of(const NodeRef& node, std::uint16_t port)
{
    return node.host != nullptr ? node.host->out() : node.fabric_switch->out(static_cast<std::uint8_t>(port));
}
InPort& in_of(const NodeRef& node, std::uint16_t port)
{
    return node.host != nullptr ? node.host->in() : node.fabric_switch->in(static_cast<std::uint8_t>(port));
}

}  // namespace

Twin::Twin(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
Twin::~Twin() = default;

Result<std::unique_ptr<Twin>> Twin::build(Setup setup)
{
    auto parts = std::make_unique<Parts>();
    parts->setup = std::move(setup);
    const Setup& set = parts->setup;
    const auto& topology = set.topology;
    Arena& arena = parts->arena;
    parts->senders = arena.make<Sender>(set.flows.size());
    parts->receivers = arena.make<Receiver>(set.flows.size());

    std::vector<std::uint16_t> port_counts(topology.nodes.size());
    for (const auto& link : topology.links)
        for (const auto& end : link.ends)
            port_counts[end.node.value] = std::max<std::uint16_t>(port_counts[end.node.value], end.port + 1);
    const auto profile_of = [&](std::size_t node) {
        return node < set.profile_of.size() ? set.profile_of[node] : std::uint16_t{0};
    };
    for (std::uint32_t id = 0; id != topology.nodes.size(); ++id) {
        NodeRef ref;
        if (topology.nodes[id].kind == topology::Kind::host) {
            parts->hosts.push_back(std::make_unique<HostNode>(id, set.nic_profiles[profile_of(id)], set.overhead_bytes,
                                                              parts->senders, parts->receivers, arena));
            ref.host = parts->hosts.back().get();
        } else {
            parts->switches.push_back(std::make_unique<SwitchNode>(id, static_cast<std::uint8_t>(port_counts[id]),
                                                                   set.switch_profiles[profile_of(id)],
                                                                   set.overhead_bytes, set.seed, arena));
            ref.fabric_switch = parts->switches.back().get();
        }
        parts->nodes.push_back(ref);
    }

    Ps window = set.window;
    for (const auto& link : topology.links) {
        for (int side = 0; side != 2; ++side) {
            const auto& from = link.ends[static_cast<std::size_t>(side)];
            const auto& to = link.ends[static_cast<std::size_t>(1 - side)];
            OutPort& out = out_of(parts->nodes[from.node.value], from.port);
            out.wire.open(in_of(parts->nodes[to.node.value], to.port).wire, arena);
            out.rate = pace_of(link.speed);
            out.latency = static_cast<Ps>(link.delay.count());
            if (parts->nodes[to.node.value].fabric_switch != nullptr)
                out.latency += set.switch_profiles[profile_of(to.node.value)].pipeline;
            out.peer = static_cast<std::uint16_t>(to.node.value);
            out.peer_port = static_cast<std::uint8_t>(to.port);
            window = std::min(window, out.latency);
        }
    }

    const topology::Routes routes{topology};
    for (std::uint32_t id = 0; id != topology.nodes.size(); ++id) {
        SwitchNode* node = parts->nodes[id].fabric_switch;
        if (node == nullptr)
            continue;
        node->resize_routes(topology.nodes.size());
        for (std::uint32_t host = 0; host != topology.nodes.size(); ++host)
            if (parts->nodes[host].host != nullptr)
                node->set_route(host, routes.ports(NodeId{id}, NodeId{host}));
    }

    for (std::uint32_t i = 0; i != set.flows.size(); ++i) {
        const Flow& flow = set.flows[i];
        Sender& sender = parts->senders[i];
        const auto hash = flow.hash != 0 ? flow.hash : mix(mix(flow.src.value, flow.dst.value), i) >> 32U;
        sender.total = flow.packets == 0 ? kEndless : static_cast<std::uint32_t>(flow.packets);
        sender.window = flow.window_packets;
        sender.pace = flow.rate.bps == 0 ? 0 : pace_of(flow.rate);
        sender.dst = static_cast<std::uint16_t>(flow.dst.value);
        sender.bytes = flow.frame_bytes;
        sender.hash = static_cast<std::uint16_t>(hash & 0x1fffU);
        sender.tos = static_cast<std::uint8_t>(flow.dscp << 2U | kEcnCapable);
        sender.priority = default_dscp_map()[flow.dscp];
        sender.reliable = flow.reliable;
        Receiver& receiver = parts->receivers[i];
        receiver.src = static_cast<std::uint16_t>(flow.src.value);
        receiver.hash = static_cast<std::uint16_t>(mix(hash, 3) & 0x1fffU);
        receiver.tos = sender.tos;
        receiver.reliable = flow.reliable;
        receiver.notifies = flow.congestion_control;
        HostNode& host = *parts->nodes[flow.src.value].host;
        host.add_flow(i, flow.start, flow.stop);
        if (flow.congestion_control)
            host.control_rate(i, set.dcqcn, BitRate{8 * kSecond * 1024 / host.out().rate});
    }
    parts->engine = std::make_unique<Engine>(parts->nodes, window, set.threads);
    return std::unique_ptr<Twin>{new Twin{std::move(parts)}};
}

Ps Twin::now() const { return parts_->engine->now(); }

void Twin::run_until(Ps end)
{
    parts_->engine->run_until(end, [] { return false; });
}

void Twin::run_until_flows_finish(Ps limit)
{
    parts_->engine->run_until(limit, [&] {
        return std::all_of(parts_->hosts.begin(), parts_->hosts.end(),
                           [](const auto& h) { return h->flows_left() == 0; });
    });
}

Totals Twin::totals() const
{
    Totals sum;
    sum.windows = parts_->engine->windows();
    for (std::size_t id = 0; id != parts_->nodes.size(); ++id) {
        const auto add = [&](const auto& node) {
            sum.packet_hops += node.arrivals();
            sum.events += node.events();
            sum.drops += node.drops();
            sum.digest += mix(node.digest(), id);
        };
        if (const HostNode* host = parts_->nodes[id].host) {
            add(*host);
            sum.injected += host->injected();
            sum.delivered += host->delivered();
            sum.in_flight += host->waiting();
        } else {
            add(*parts_->nodes[id].fabric_switch);
        }
    }
    for (const Sender& s : parts_->senders)
        if (s.finished_at != kForever)
            sum.last_ack = std::max(sum.last_ack, s.finished_at);
    return sum;
}

}  // namespace petrel::twin
