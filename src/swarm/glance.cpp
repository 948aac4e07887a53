#include "swarm/glance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace petrel::swarm {

namespace {

using watchdog::Watchlist;

std::uint8_t mask_of(std::uint8_t priority) { return static_cast<std::uint8_t>(1U << priority); }

bool differs(std::uint8_t one, std::uint8_t other, std::uint8_t bit) { return ((one ^ other) & bit) != 0; }

PolicyFacts facts_of(const Watchlist& list, std::uint16_t index)
{
    if (index >= list.policies.size()) {
        return {};
    }
    const auto& policy = list.policies[index];
    return {true,
            policy.criterion,
            policy.action,
            policy.release,
            policy.detect,
            policy.restore,
            policy.probe,
            policy.backoff_max,
            std::max(list.poll, list.capabilities.refresh),
            list.capabilities.stamp_uncertainty,
            policy.latch_count,
            policy.slack_ppm,
            policy.needs_backlog};
}

Places places_of(const scenario::Scenario& scenario, const twin::Twin& twin)
{
    Places places;
    const auto& topology = scenario.setup.topology;
    for (std::uint32_t id = 0; id < topology.nodes.size(); ++id) {
        const auto& node = topology.nodes[id];
        if (node.kind == topology::Kind::host) {
            places.nics.push_back({NodeId{id}, 0, node.name});
            continue;
        }
        for (std::uint16_t number = 0; const auto& port : node.ports) {
            const auto index = static_cast<std::uint32_t>(places.ports.size());
            const auto first = static_cast<std::uint32_t>(places.queues.size());
            for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
                if ((twin.switch_view(NodeId{id}).lossless() & mask_of(priority)) != 0) {
                    places.queues.push_back({index, priority});
                }
            }
            places.ports.push_back({{NodeId{id}, number++},
                                    first,
                                    static_cast<std::uint32_t>(places.queues.size()) - first,
                                    {},
                                    {},
                                    fmt::format("{}:{}", node.name, port.name)});
        }
    }
    for (const auto& link : topology.links) {
        for (const auto end : {0U, 1U}) {
            const auto here = places.port_at(link.ends[end]);
            const auto& far = link.ends[1 - end];
            if (!here) {
                continue;
            }
            places.ports[*here].peer = places.port_at(far);
            if (const auto nic = places.nic_at(far.node)) {
                places.ports[*here].nic = nic;
                places.nics[*nic].port = *here;
            }
        }
    }
    return places;
}

}  // namespace

std::optional<std::uint32_t> Places::port_at(const End& end) const
{
    const auto found = std::ranges::find(ports, end, &Port::end);
    return found == ports.end() ? std::nullopt : std::optional{static_cast<std::uint32_t>(found - ports.begin())};
}

std::optional<std::uint32_t> Places::nic_at(NodeId node) const
{
    const auto found = std::ranges::find(nics, node, &Nic::node);
    return found == nics.end() ? std::nullopt : std::optional{static_cast<std::uint32_t>(found - nics.begin())};
}

std::string Places::name(std::uint32_t queue) const
{
    return fmt::format("{}:{}", ports[queues[queue].port].name, queues[queue].priority);
}

bool decided(const Places& places, std::uint32_t port, const Glance& now)
{
    return std::ranges::any_of(now.events, [&](const EventGlance& told) {
        return told.node == places.ports[port].end.node && (told.port == port || told.event.whole_device);
    });
}

bool announces_proven_storm(const watchdog::Event& event)
{
    return event.reason == watchdog::Reason::proven &&
           (event.kind == watchdog::EventKind::storm_detected || event.kind == watchdog::EventKind::storm_alert);
}

Watcher::Watcher(lab::Experiment& experiment)
    : experiment_(experiment), places_(places_of(experiment.scenario(), experiment.twin()))
{
    for (const auto& port : places_.ports) {
        configured_.push_back(
            experiment_.twin().switch_view(port.end.node).registers(static_cast<std::uint8_t>(port.end.port)));
    }
}

std::optional<std::uint32_t> Watcher::queue_at(std::uint32_t port, const Target& target) const
{
    const auto& place = places_.ports[port];
    for (auto queue = place.first_queue; queue < place.first_queue + place.queues; ++queue) {
        if (target.priority && places_.queues[queue].priority == target.priority->value) {
            return queue;
        }
    }
    return std::nullopt;
}

// The numbers of ports in an inventory change when a port is removed; their names do not.
void Watcher::read_agents(Glance& into) const
{
    for (const auto& watch : experiment_.scenario().watches) {
        const auto* agent = experiment_.agent(watch.node);
        if (const auto* runner = experiment_.device_runner(watch.node)) {
            into.devices.push_back(
                {watch.node, runner->condition(), agent == nullptr ? Duration{} : agent->watchdog().watchlist().poll});
        }
        if (agent == nullptr) {
            continue;
        }
        const auto& dog = agent->watchdog();
        if (!experiment_.twin().is_switch(watch.node)) {
            read_nic_agent(watch.node, dog, into);
            continue;
        }
        const auto& list = dog.watchlist();
        const auto& ports = experiment_.scenario().setup.topology.nodes[watch.node.value].ports;
        for (std::uint32_t slot = 0; slot < list.rows.size(); ++slot) {
            const auto& target = list.inventory.rows[slot].target;
            const auto& name = list.inventory.ports[target.port.index].name;
            const auto number = std::ranges::find(ports, name, &PortNames::name) - ports.begin();
            const auto port = places_.port_at({watch.node, static_cast<std::uint16_t>(number)});
            const RowGlance row{dog.phase(Slot{slot}), dog.in_effect(Slot{slot}),
                                facts_of(list, list.rows[slot].policy)};
            if (!target.priority) {
                into.ports[*port].row = row;
            } else if (const auto queue = queue_at(*port, target)) {
                into.queues[*queue].row = row;
            }
        }
    }
}

void Watcher::read_nic_agent(NodeId node, const watchdog::Watchdog& dog, Glance& into) const
{
    const auto& list = dog.watchlist();
    for (std::uint32_t slot = 0; slot < list.rows.size(); ++slot) {
        if (!list.inventory.rows[slot].target.priority) {
            into.nics[*places_.nic_at(node)].row = {dog.phase(Slot{slot}), dog.in_effect(Slot{slot}),
                                                    facts_of(list, list.rows[slot].policy)};
        }
    }
}

void Watcher::read_manager(Glance& into) const
{
    const auto* managers = experiment_.managers();
    if (managers == nullptr || managers->in_use() == nullptr) {
        return;
    }
    for (const auto& of : managers->agents()) {
        into.reports.push_back({of.node, managers->heard_at(of), managers->reports(of.agent->name())});
    }
}

void Watcher::read_manager(Ending& into) const
{
    const auto* managers = experiment_.managers();
    if (managers == nullptr || managers->in_use() == nullptr) {
        return;
    }
    const auto storms = managers->in_use()->view().storms(twin::to_instant(experiment_.twin().now()));
    for (const auto& of : managers->agents()) {
        auto& found = into.managed.emplace_back(of.node, managers->compare_history(of), std::set<std::string>{});
        for (const auto& storm : storms) {
            if (storm.port.device == of.agent->name()) {
                found.errors.insert(storm.port.port);
            }
        }
    }
}

Glance Watcher::glance()
{
    const auto& twin = experiment_.twin();
    Glance now;
    now.at = twin.now();
    now.ports.resize(places_.ports.size());
    now.queues.resize(places_.queues.size());
    for (std::size_t i = 0; i < places_.ports.size(); ++i) {
        const auto& place = places_.ports[i];
        const auto view = twin.switch_view(place.end.node);
        const auto number = static_cast<std::uint8_t>(place.end.port);
        const auto& set = view.registers(number);
        const auto& usual = configured_[i];
        auto& port = now.ports[i];
        port.up = view.link_up(number);
        port.epoch = view.epoch(number);
        port.treated = set.lossless_off != usual.lossless_off || set.max_frame_bytes != usual.max_frame_bytes ||
                       set.pause_rx != usual.pause_rx;
        for (auto q = place.first_queue; q < place.first_queue + place.queues; ++q) {
            const auto priority = places_.queues[q].priority;
            const auto bit = mask_of(priority);
            const auto number_of_queue = view.profile().queue_of_priority[priority];
            const auto read = view.queue(number, number_of_queue, now.at);
            auto& queue = now.queues[q];
            queue.paused = read.paused;
            queue.pauses_ended = read.pauses_ended;
            queue.tx_drops = read.tx_drops;
            queue.rx_drops = view.group(number, view.profile().group_of_priority[priority]).rx_drops;
            queue.pause_sent = read.pause_sent;
            queue.bytes = read.bytes;
            queue.recovering = view.recovering(number, number_of_queue);
            queue.discards = ((set.discard_egress | set.lossless_off) & bit) != 0;
            queue.mute = ((set.send_no_pause | set.lossless_off) & bit) != 0;
            queue.treated = port.treated || differs(set.ignore_pause, usual.ignore_pause, bit) ||
                            differs(set.discard_egress, usual.discard_egress, bit) ||
                            differs(set.discard_ingress, usual.discard_ingress, bit) ||
                            differs(set.send_no_pause, usual.send_no_pause, bit);
        }
    }
    for (const auto& place : places_.nics) {
        const auto view = twin.nic_view(place.node);
        auto& nic = now.nics.emplace_back();
        nic.overflows = view.drops()[twin::Drop::nic_buffer];
        nic.muted = view.pause_tx() != view.profile().lossless;
        nic.up = view.link_up();
        nic.epoch = view.epoch();
        for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
            const auto read = view.read(priority, now.at);
            nic.taken += read.taken;
            nic.pausing_for[priority] = read.pausing_for;
        }
    }
    read_agents(now);
    read_manager(now);
    for (const auto& found : experiment_.new_events()) {
        EventGlance seen{
            *found.event,
            found.node,
            places_.port_at({found.node, found.port}),
            {},
            places_.nic_at(found.node),
            facts_of(*found.watchlist, found.event->policy),
            fmt::format("{}:{}", found.device, to_string(found.watchlist->inventory, found.event->target))};
        if (seen.port) {
            seen.queue = queue_at(*seen.port, found.event->target);
        }
        now.events.push_back(std::move(seen));
    }
    return now;
}

Ending Watcher::ending() const
{
    Ending end;
    end.totals = experiment_.twin().totals();
    end.queues.resize(places_.queues.size());
    end.nics.resize(places_.nics.size());
    read_manager(end);
    for (const auto& watch : experiment_.scenario().watches) {
        const auto* agent = experiment_.agent(watch.node);
        if (agent == nullptr) {
            continue;
        }
        const auto remembered = agent->save(twin::to_instant(experiment_.twin().now()));
        if (const auto nic = places_.nic_at(watch.node)) {
            const bool ordered = std::ranges::any_of(remembered.rows, &watchdog::Checkpoint::Row::ordered);
            end.nics[*nic] = {true, remembered.red_switch || ordered};
            continue;
        }
        const auto& inventory = agent->watchdog().watchlist().inventory;
        const auto& ports = experiment_.scenario().setup.topology.nodes[watch.node.value].ports;
        for (std::uint32_t q = 0; q < places_.queues.size(); ++q) {
            const auto& place = places_.ports[places_.queues[q].port];
            if (place.end.node != watch.node) {
                continue;
            }
            auto& queue = end.queues[q];
            queue.agent_runs = true;
            queue.by_order =
                remembered.red_switch ||
                std::ranges::any_of(remembered.rows, [&](const watchdog::Checkpoint::Row& row) {
                    const auto& name = inventory.ports[row.target.port.index].name;
                    return row.ordered && name == ports[place.end.port].name &&
                           (!row.target.priority || row.target.priority->value == places_.queues[q].priority);
                });
        }
    }
    return end;
}

}  // namespace petrel::swarm
