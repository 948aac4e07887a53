#include "twin/twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "base/assert.hpp"
#include "topology/routes.hpp"
#include "twin/digest.hpp"
#include "twin/engine.hpp"
#include "twin/shares.hpp"

namespace petrel::twin {

struct Twin::Parts {
    Setup setup;
    Arena arena;
    std::span<Sender> senders;
    std::span<Receiver> receivers;
    std::vector<std::unique_ptr<HostNode>> hosts;
    std::vector<std::unique_ptr<SwitchNode>> switches;
    std::vector<NodeRef> nodes;
    std::optional<Border> border;  // set if other processes run a part of the nodes
    std::unique_ptr<Engine> engine;
    std::map<std::pair<std::uint32_t, std::size_t>, Tap> taps;  // by link and end

    bool runs_here(std::uint32_t node) const { return !border || border->ours(node); }
    bool flows_finished() const;  // flows whose sender runs here
    void share_flows();
    Totals totals_here() const;

    void set_routes(std::uint32_t at_switch, const topology::Routes& routes)
    {
        for (std::uint32_t id = 0; id != nodes.size(); ++id)
            if (nodes[id].host != nullptr)
                nodes[at_switch].fabric_switch->set_route(id, routes.ports(NodeId{at_switch}, NodeId{id}));
    }
};

namespace {

// Frames in flight, without control frames.
std::uint64_t frames_on(const WireOut& wire)
{
    const auto view = wire.view();
    std::uint64_t frames = 0;
    for (std::uint32_t i = wire.head.load(); view[i].at != kForever; ++i)
        if (!view[i].packet.is_control())
            ++frames;
    return frames;
}

// Adds the totals of another share of the nodes.
void add(Totals& sum, const Totals& more)
{
    sum.packet_hops += more.packet_hops;
    sum.events += more.events;
    sum.injected += more.injected;
    sum.delivered += more.delivered;
    sum.in_flight += more.in_flight;
    sum.drops += more.drops;
    sum.digest += more.digest;
}

}  // namespace

Twin::Twin(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
Twin::~Twin() = default;

Result<std::unique_ptr<Twin>> Twin::build(Setup setup, Peers* peers)
{
    if (const auto wrong = problems(setup); !wrong.empty())
        return tl::unexpected{Error{ErrorKind::invalid, fmt::format("{}", fmt::join(wrong, "\n"))}};
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
    for (std::uint32_t id = 0; id != topology.nodes.size(); ++id) {
        NodeRef ref;
        if (topology.nodes[id].kind == topology::Kind::host) {
            parts->hosts.push_back(std::make_unique<HostNode>(id, set.nic_profiles[set.profile(id)], set.overhead_bytes,
                                                              parts->senders, parts->receivers, set.pause_times,
                                                              arena));
            ref.host = parts->hosts.back().get();
        } else {
            parts->switches.push_back(std::make_unique<SwitchNode>(
                id, static_cast<std::uint8_t>(port_counts[id]), set.switch_profiles[set.profile(id)],
                set.overhead_bytes, set.seed, set.pause_times, arena));
            ref.fabric_switch = parts->switches.back().get();
        }
        parts->nodes.push_back(ref);
    }

    Ps window = set.window;
    for (const auto& link : topology.links) {
        for (int side = 0; side != 2; ++side) {
            const auto& from = link.ends[static_cast<std::size_t>(side)];
            const auto& to = link.ends[static_cast<std::size_t>(1 - side)];
            OutPort& out = parts->nodes[from.node.value].out(from.port);
            out.wire.open(parts->nodes[to.node.value].in(to.port).wire, arena);
            if (HostNode* host = parts->nodes[from.node.value].host)
                host->set_speed(link.speed);
            else
                parts->nodes[from.node.value].fabric_switch->set_speed(static_cast<std::uint8_t>(from.port),
                                                                       link.speed);
            out.latency = static_cast<Ps>(link.delay.count());
            if (parts->nodes[to.node.value].fabric_switch != nullptr)
                out.latency += set.switch_profiles[set.profile(to.node.value)].pipeline;
            out.peer = static_cast<std::uint16_t>(to.node.value);
            out.peer_port = static_cast<std::uint8_t>(to.port);
            window = std::min(window, out.latency);
        }
    }

    for (const auto& [port, policy] : set.link_policies) {
        if (HostNode* host = parts->nodes[port.node.value].host)
            host->set_policy(policy);
        else
            parts->nodes[port.node.value].fabric_switch->set_policy(static_cast<std::uint8_t>(port.port), policy);
    }

    const topology::Routes routes{topology};
    for (std::uint32_t id = 0; id != topology.nodes.size(); ++id)
        if (parts->nodes[id].fabric_switch != nullptr)
            parts->set_routes(id, routes);

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
            host.control_rate(i, set.dcqcn, rate_of(host.out().rate));
    }
    if (peers != nullptr)
        parts->border.emplace(*peers, shares(topology, peers->count()), parts->nodes, arena);
    parts->engine =
        std::make_unique<Engine>(parts->nodes, window, set.threads, parts->border ? &*parts->border : nullptr);
    return std::unique_ptr<Twin>{new Twin{std::move(parts)}};
}

Ps Twin::now() const { return parts_->engine->now(); }

void Twin::run_until(Ps end)
{
    parts_->engine->run_until(end, [] { return false; });
    parts_->share_flows();
}

void Twin::run_until_flows_finish(Ps limit)
{
    parts_->engine->run_until(limit, [&] { return parts_->flows_finished(); });
    parts_->share_flows();
}

bool Twin::Parts::flows_finished() const
{
    for (std::uint32_t id = 0; id != nodes.size(); ++id)
        if (nodes[id].host != nullptr && nodes[id].host->flows_left() != 0 && runs_here(id))
            return false;
    return true;
}

// Each process has the flow records of its own hosts. After this all processes have all records.
void Twin::Parts::share_flows()
{
    if (!border)
        return;
    const auto for_each_end = [&](auto visit) {
        for (std::size_t i = 0; i != setup.flows.size(); ++i) {
            visit(setup.flows[i].src.value, std::as_writable_bytes(senders.subspan(i, 1)));
            visit(setup.flows[i].dst.value, std::as_writable_bytes(receivers.subspan(i, 1)));
        }
    };
    std::string known;
    for_each_end([&](std::uint32_t node, std::span<std::byte> record) {
        if (runs_here(node))
            known.append(reinterpret_cast<const char*>(record.data()), record.size());
    });
    const auto all = border->peers().gather(known);
    std::vector<std::size_t> used(all.size());
    for_each_end([&](std::uint32_t node, std::span<std::byte> record) {
        const unsigned owner = border->share(node);
        std::memcpy(record.data(), all[owner].data() + used[owner], record.size());
        used[owner] += record.size();
    });
}

const Setup& Twin::setup() const { return parts_->setup; }

bool Twin::runs_here(NodeId id) const { return parts_->runs_here(id.value); }
Peers* Twin::peers() const { return parts_->border ? &parts_->border->peers() : nullptr; }

bool Twin::is_switch(NodeId id) const { return parts_->nodes[id.value].fabric_switch != nullptr; }

SwitchView Twin::switch_view(NodeId id) const
{
    PETREL_ASSERT(is_switch(id), "node {} is not a switch", id.value);
    return SwitchView{*parts_->nodes[id.value].fabric_switch};
}

NicView Twin::nic_view(NodeId id) const
{
    PETREL_ASSERT(!is_switch(id), "node {} is not a host", id.value);
    return NicView{*parts_->nodes[id.value].host};
}

FlowReading Twin::flow(std::uint32_t index) const
{
    const Sender& sender = parts_->senders[index];
    const Receiver& receiver = parts_->receivers[index];
    const bool finished = sender.finished_at != kForever;
    return {sender.next, sender.acked, receiver.packets, receiver.marked, finished, finished ? sender.finished_at : 0};
}

void Twin::at(NodeId id, Ps when, std::function<void(Ps)> call)
{
    if (!runs_here(id))
        return;
    const NodeRef& node = parts_->nodes[id.value];
    if (node.host != nullptr)
        node.host->call_at(when, std::move(call));
    else
        node.fabric_switch->call_at(when, std::move(call));
    parts_->engine->expect(id.value, when);
}

void Twin::cut(std::uint32_t link, Ps when) { set_signal(link, false, when); }
void Twin::repair(std::uint32_t link, Ps when) { set_signal(link, true, when); }

void Twin::set_signal(std::uint32_t link, bool on, Ps when)
{
    for (const auto& end : parts_->setup.topology.links[link].ends) {
        at(end.node, when, [this, end, on](Ps now) {
            if (is_switch(end.node))
                switch_view(end.node).set_signal(static_cast<std::uint8_t>(end.port), on, now);
            else
                nic_view(end.node).set_signal(on, now);
        });
    }
}

void Twin::set_speed(std::uint32_t link, BitRate speed, Ps when, Ps down, std::uint8_t lanes)
{
    cut(link, when);
    for (const auto& end : parts_->setup.topology.links[link].ends) {
        at(end.node, when + down, [this, end, speed, lanes](Ps now) {
            if (is_switch(end.node)) {
                auto view = switch_view(end.node);
                view.set_speed(static_cast<std::uint8_t>(end.port), speed, lanes);
                view.set_signal(static_cast<std::uint8_t>(end.port), true, now);
            } else {
                auto view = nic_view(end.node);
                view.set_speed(speed, lanes);
                view.set_signal(true, now);
            }
        });
    }
}

void Twin::lose_lanes(std::uint32_t link, std::uint8_t lanes, Ps when)
{
    for (const auto& end : parts_->setup.topology.links[link].ends) {
        at(end.node, when, [this, end, lanes](Ps now) {
            if (is_switch(end.node))
                switch_view(end.node).lose_lanes(static_cast<std::uint8_t>(end.port), lanes, now);
            else
                nic_view(end.node).lose_lanes(lanes, now);
        });
    }
}

void Twin::reroute(std::span<const std::uint32_t> failed_links, Ps when)
{
    const auto& topology = parts_->setup.topology;
    const auto routes = std::make_shared<const topology::Routes>(topology, failed_links);
    for (std::uint32_t id = 0; id != parts_->nodes.size(); ++id)
        if (parts_->nodes[id].fabric_switch != nullptr)
            at(NodeId{id}, when, [this, id, routes](Ps) { parts_->set_routes(id, *routes); });
}

void Twin::capture(std::uint32_t link, std::size_t frames)
{
    for (std::size_t side = 0; side != 2; ++side) {
        const auto& end = parts_->setup.topology.links[link].ends[side];
        Tap& tap = parts_->taps[{link, side}];
        tap.room = frames;
        if (is_switch(end.node))
            switch_view(end.node).tap(static_cast<std::uint8_t>(end.port), &tap);
        else
            nic_view(end.node).tap(&tap);
    }
}

std::span<const Tap::Record> Twin::captured(std::uint32_t link, std::size_t end) const
{
    const auto found = parts_->taps.find({link, end});
    return found == parts_->taps.end() ? std::span<const Tap::Record>{} : found->second.records;
}

Totals Twin::Parts::totals_here() const
{
    Totals sum;
    for (std::uint32_t id = 0; id != nodes.size(); ++id) {
        if (!runs_here(id))
            continue;
        const auto add = [&](const auto& node) {
            sum.packet_hops += node.arrivals();
            sum.events += node.events();
            sum.drops += node.drops();
            sum.digest += mix(node.digest(), id);
        };
        if (const HostNode* host = nodes[id].host) {
            add(*host);
            sum.injected += host->injected();
            sum.delivered += host->delivered();
            sum.in_flight += host->waiting();
        } else {
            const SwitchNode& fabric_switch = *nodes[id].fabric_switch;
            add(fabric_switch);
            sum.injected += fabric_switch.flooded();
            sum.in_flight += fabric_switch.waiting();
        }
    }
    for (const auto& link : setup.topology.links)
        for (const auto& end : link.ends)
            if (runs_here(end.node.value))
                sum.in_flight += frames_on(nodes[end.node.value].in(end.port).wire);
    return sum;
}

Totals Twin::totals() const
{
    Totals sum = parts_->totals_here();
    if (Peers* all = peers()) {
        const auto shared = all->gather({reinterpret_cast<const char*>(&sum), sizeof sum});
        sum = {};
        for (const auto& bytes : shared) {
            Totals of_one;
            std::memcpy(&of_one, bytes.data(), sizeof of_one);
            add(sum, of_one);
        }
    }
    PETREL_ASSERT(sum.injected == sum.delivered + sum.drops.total() + sum.in_flight,
                  "{} frames injected, but {} delivered, {} dropped and {} in flight", sum.injected, sum.delivered,
                  sum.drops.total(), sum.in_flight);
    sum.windows = parts_->engine->windows();
    for (const Sender& s : parts_->senders)
        if (s.finished_at != kForever)
            sum.last_ack = std::max(sum.last_ack, s.finished_at);
    return sum;
}

}  // namespace petrel::twin
