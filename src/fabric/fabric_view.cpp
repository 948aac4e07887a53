#include "fabric/fabric_view.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace petrel::fabric {
namespace {

using MessageKind = Message::Kind;

constexpr std::array kChannels{Channel::agent, Channel::log};  // that report errors and links

std::optional<PortEvent::Kind> port_event_kind(MessageKind kind)
{
    switch (kind) {
    case MessageKind::error_opened: return PortEvent::Kind::opened;
    case MessageKind::error_closed: return PortEvent::Kind::closed;
    case MessageKind::link_down: return PortEvent::Kind::link_down;
    case MessageKind::link_up: return PortEvent::Kind::link_up;
    case MessageKind::other: break;
    }
    return std::nullopt;
}

bool is_open(const PortErrorRecord& error) { return error.closed == PortErrorRecord::Closed::not_yet; }

// The oldest first; records of the same time keep their order. (std::stable_sort of libstdc++ 12 does not compile with
// clang's warnings.)
template <class Record, class Time>
std::vector<Record> by_age(std::vector<Record> records, Time opened_at)
{
    std::vector<std::pair<WallTime, std::size_t>> order;
    order.reserve(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
        order.emplace_back(opened_at(records[i]), i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Record> sorted;
    sorted.reserve(records.size());
    for (const auto& [at, i] : order) {
        sorted.push_back(std::move(records[i]));
    }
    return sorted;
}

}  // namespace

std::string_view name(Channel channel)
{
    switch (channel) {
    case Channel::agent: return "agent";
    case Channel::log: return "log";
    case Channel::manager: break;
    }
    return "manager";
}

std::optional<Channel> channel_from_name(std::string_view word)
{
    for (const auto channel : {Channel::agent, Channel::log, Channel::manager}) {
        if (name(channel) == word) {
            return channel;
        }
    }
    return std::nullopt;
}

std::string_view name(NeighbourClaim::By by)
{
    using By = NeighbourClaim::By;
    return by == By::cables ? "cables" : by == By::agent ? "agent" : "far_end";
}

bool ShownPort::in_error() const { return std::any_of(errors.begin(), errors.end(), is_open); }

FabricView::FabricView(const Cables& cables, Duration silent_after) : silent_after_(silent_after)
{
    for (const auto& [a, b] : cables) {
        neighbours_.emplace(a, b);
        neighbours_.emplace(b, a);
    }
}

void FabricView::apply(const Message& message)
{
    if (message.source.channel == Channel::manager) {
        sources_[{message.source.device, Channel::agent}].errors.put(
            message.port, {message.position.epoch, message.position.number, PortEvent::Kind::forgotten, message.cause,
                           message.priority, message.at, message.text});
        return;
    }
    auto& reports = sources_[message.source];
    if (message.source.channel == Channel::agent) {
        reports.numbers[message.position.epoch].add(message.position.number);
    }
    const auto kind = port_event_kind(message.kind);
    if (!kind) {
        return;
    }
    reports.errors.put(message.port, {message.position.epoch, message.position.number, *kind, message.cause,
                                      message.priority, message.at, message.text});
    if (message.kind == MessageKind::link_down || message.kind == MessageKind::link_up) {
        reports.links[message.port].put(message);
    }
}

void FabricView::set_state(DeviceState state)
{
    std::sort(state.ports.begin(), state.ports.end(), [](auto& a, auto& b) { return a.port < b.port; });
    auto& known = states_[state.device];
    note_claims(known, false);
    known = std::move(state);
    note_claims(known, true);
}

void FabricView::note_claims(const DeviceState& state, bool hold)
{
    for (const auto& port : state.ports) {
        const PortName own{state.device, port.port};
        if (port.neighbour && hold) {
            named_by_[*port.neighbour].insert(own);
        } else if (port.neighbour) {
            auto& names = named_by_[*port.neighbour];
            names.erase(own);
            if (names.empty()) {
                named_by_.erase(*port.neighbour);
            }
        }
    }
}

void FabricView::received_before(const std::string& device, std::uint64_t epoch, std::uint64_t number)
{
    sources_[{device, Channel::agent}].numbers[epoch].add_all_to(number);
}

void FabricView::received(const Source& source, Position position)
{
    if (source.channel == Channel::agent) {
        sources_[source].numbers[position.epoch].add(position.number);
    }
}

void FabricView::heard(const std::string& device, Now now) { heard_[device] = {now.mono, now.wall}; }

void FabricView::heard_before(const std::string& device, WallTime at)
{
    auto& heard = heard_.try_emplace(device, Heard{{}, at}).first->second;
    heard.wall = std::max(heard.wall, at);
}

void FabricView::lost(const std::string& device)
{
    if (const auto known = heard_.find(device); known != heard_.end()) {
        known->second.mono.reset();
    }
}

std::set<std::string> FabricView::device_names() const
{
    std::set<std::string> names;
    for (const auto& [device, heard] : heard_) {
        names.insert(device);
    }
    for (const auto& [source, reports] : sources_) {
        names.insert(source.device);
    }
    for (const auto& [device, state] : states_) {
        names.insert(device);
    }
    for (const auto& [port, far] : neighbours_) {
        names.insert(port.device);
    }
    return names;
}

std::vector<NeighbourClaim> FabricView::claims(const PortName& port) const
{
    using By = NeighbourClaim::By;
    std::vector<NeighbourClaim> all;
    if (const auto cabled = neighbours_.find(port); cabled != neighbours_.end()) {
        all.push_back({By::cables, cabled->second});
    }
    if (const auto* state = state_of(port); state != nullptr && state->neighbour) {
        all.push_back({By::agent, *state->neighbour});
    }
    if (const auto named = named_by_.find(port); named != named_by_.end()) {
        for (const auto& other : named->second) {
            all.push_back({By::far_end, other});
        }
    }
    return all;
}

std::optional<PortName> FabricView::neighbour(const PortName& port) const
{
    const auto all = claims(port);
    const bool known = !all.empty() && (all.front().by != NeighbourClaim::By::far_end || all.size() == 1);
    return known ? std::optional{all.front().neighbour} : std::nullopt;
}

const PortState* FabricView::state_of(const PortName& port) const
{
    const auto device = states_.find(port.device);
    if (device == states_.end()) {
        return nullptr;
    }
    const auto& ports = device->second.ports;
    const auto found =
        std::lower_bound(ports.begin(), ports.end(), port.port,
                         [](const PortState& state, const std::string& name) { return state.port < name; });
    return found == ports.end() || found->port != port.port ? nullptr : &*found;
}

Sight FabricView::sight(const std::string& device, Instant now) const
{
    const auto known = heard_.find(device);
    if (known == heard_.end()) {
        return {};
    }
    const auto& [mono, wall] = known->second;
    return {mono && now - *mono <= silent_after_, wall};
}

std::vector<PortErrorRecord> FabricView::errors(const PortName& port) const
{
    std::vector<PortErrorRecord> all;
    for (const auto channel : kChannels) {
        if (const auto source = sources_.find({port.device, channel}); source != sources_.end()) {
            const auto of_source = source->second.errors.errors(port.port);
            all.insert(all.end(), of_source.begin(), of_source.end());
        }
    }
    return by_age(std::move(all), [](const PortErrorRecord& error) { return error.opened_at; });
}

std::vector<std::pair<std::string, PortErrorRecord>> FabricView::open_errors(const std::string& device) const
{
    std::vector<std::pair<std::string, PortErrorRecord>> open;
    const auto agent = sources_.find({device, Channel::agent});
    for (const auto& port : agent == sources_.end() ? std::vector<std::string>{} : agent->second.errors.ports()) {
        for (auto& error : agent->second.errors.errors(port)) {
            if (is_open(error)) {
                open.emplace_back(port, std::move(error));
            }
        }
    }
    return open;
}

LinkDowns FabricView::downs(const PortName& port) const
{
    LinkDowns all;
    for (const auto channel : kChannels) {
        const auto source = sources_.find({port.device, channel});
        if (source == sources_.end()) {
            continue;
        }
        if (const auto found = source->second.links.find(port.port); found != source->second.links.end()) {
            const auto of_source = found->second.downs();
            all.insert(all.end(), of_source.begin(), of_source.end());
        }
    }
    return all;
}

ShownEnd FabricView::end(const PortName& port, LinkDowns downs, const Now& now) const
{
    ShownEnd shown{port, sight(port.device, now.mono), std::move(downs)};
    shown.quarantined = is_quarantined(shown.history, now.wall);
    if (const auto* state = state_of(port)) {
        shown.link = state->link;
        for (const auto& down : shown.history) {
            if (state->uncleared && down.number >= *state->uncleared) {
                shown.later += shown.registers ? 1U : 0U;
                shown.registers = shown.registers ? shown.registers : down;
            }
        }
    }
    return shown;
}

std::map<std::string, std::uint64_t> FabricView::to_clear(const std::string& device, WallTime now) const
{
    std::map<std::string, std::uint64_t> ports;
    const auto state = states_.find(device);
    for (const auto& port : state == states_.end() ? std::vector<PortState>{} : state->second.ports) {
        if (!port.uncleared) {
            continue;
        }
        const auto known = downs({device, port.port});
        const auto last = may_be_cleared(known, *port.uncleared);
        if (last && !is_quarantined(known, now)) {
            ports[port.port] = *last;
        }
    }
    return ports;
}

std::vector<ShownDevice> FabricView::devices(Instant now) const
{
    std::vector<ShownDevice> shown;
    for (const auto& name : device_names()) {
        ShownDevice device{name, sight(name, now)};
        if (const auto state = states_.find(name); state != states_.end()) {
            device.state = state->second.state;
        }
        if (const auto agent = sources_.find({name, Channel::agent}); agent != sources_.end()) {
            for (const auto& [epoch, numbers] : agent->second.numbers) {
                device.missing += numbers.missing();
            }
        }
        shown.push_back(std::move(device));
    }
    return shown;
}

ShownPort FabricView::shown_port(const PortName& port, Instant now) const
{
    ShownPort shown{port, neighbour(port), sight(port.device, now), errors(port)};
    if (const auto* state = state_of(port)) {
        shown.link = state->link;
        shown.queues = state->queues;
    }
    auto all = claims(port);
    if (std::any_of(all.begin(), all.end(), [&](auto& one) { return one.neighbour != all.front().neighbour; })) {
        shown.disagreement = std::move(all);
    }
    return shown;
}

std::vector<ShownPort> FabricView::ports(Instant now) const
{
    std::set<PortName> names;
    for (const auto& [source, reports] : sources_) {
        for (const auto& port : reports.errors.ports()) {
            names.insert({source.device, port});
        }
    }
    for (const auto& [port, far] : neighbours_) {
        names.insert(port);
    }
    for (const auto& [device, state] : states_) {
        for (const auto& port : state.ports) {
            names.insert({device, port.port});
        }
    }
    std::vector<ShownPort> shown;
    for (const auto& port : names) {
        shown.push_back(shown_port(port, now));
    }
    return shown;
}

std::vector<ShownLink> FabricView::links(const Now& now) const
{
    std::set<PortName> ends;
    for (const auto& [source, reports] : sources_) {
        for (const auto& [port, log] : reports.links) {
            ends.insert({source.device, port});
        }
    }
    for (const auto& [port, far] : neighbours_) {
        ends.insert(port);
    }
    for (const auto& [port, names] : named_by_) {
        ends.insert(names.begin(), names.end());
    }
    std::map<PortName, std::optional<PortName>> far_ends;
    for (const auto& port : ends) {
        auto far = neighbour(port);
        if (far && neighbour(*far) == port) {
            far_ends[*far] = port;
        } else {
            far.reset();  // the two do not agree: ports() shows that
        }
        far_ends[port] = std::move(far);
    }
    std::vector<ShownLink> shown;
    for (const auto& [port, far] : far_ends) {
        if (far && *far < port) {
            continue;  // shown with its other end
        }
        auto near_downs = downs(port);
        auto far_downs = far ? downs(*far) : LinkDowns{};
        join_ends(near_downs, far_downs);
        shown.push_back({end(port, std::move(near_downs), now),
                         far ? std::optional{end(*far, std::move(far_downs), now)} : std::nullopt});
    }
    return shown;
}

std::map<Source, std::vector<Position>> FabricView::standing() const
{
    std::map<Source, std::vector<Position>> all;
    for (const auto& [source, reports] : sources_) {
        auto& positions = all[source];
        for (const auto& port : reports.errors.ports()) {
            for (const auto& error : reports.errors.errors(port)) {
                if (is_open(error)) {
                    positions.push_back({error.boot, error.seq});
                }
            }
        }
        for (const auto& [port, log] : reports.links) {
            positions.push_back(log.last());
        }
        std::sort(positions.begin(), positions.end());
    }
    return all;
}

std::vector<ShownStorm> FabricView::storms(Instant now) const
{
    std::vector<ShownStorm> open;
    for (const auto& port : ports(now)) {
        for (const auto& error : port.errors) {
            if (is_open(error)) {
                open.push_back({port.name, port.neighbour, port.sight, error});
            }
        }
    }
    return by_age(std::move(open), [](const ShownStorm& storm) { return storm.error.opened_at; });
}

}  // namespace petrel::fabric
