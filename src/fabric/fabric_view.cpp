#include "fabric/fabric_view.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace petrel::fabric {
namespace {

using MessageKind = Message::Kind;

constexpr std::array kChannels{Channel::agent, Channel::log};

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

// A link_up ends the last time that the link went down.
std::vector<LinkDown> downs(const std::set<Message>& messages)
{
    std::vector<LinkDown> history;
    for (const auto& message : messages) {
        if (message.kind == MessageKind::link_down) {
            history.push_back({message.cause, message.neighbour_reason, message.at, {}, message.text});
        } else if (!history.empty() && !history.back().up_at) {
            history.back().up_at = message.at;
        }
    }
    return history;
}

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

std::string_view name(Channel channel) { return channel == Channel::agent ? "agent" : "log"; }

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
    received(message.source, message.position);
    auto& reports = sources_[message.source];
    const auto kind = port_event_kind(message.kind);
    if (!kind) {
        return;
    }
    reports.errors.put(message.port, {message.position.epoch, message.position.number, *kind, message.cause,
                                      message.priority, message.at, message.text});
    if (message.kind == MessageKind::link_down || message.kind == MessageKind::link_up) {
        auto& messages = reports.links[message.port];
        messages.insert(message);
        if (messages.size() > kLinkMessagesKept) {
            messages.erase(messages.begin());
        }
    }
}

void FabricView::set_state(DeviceState state)
{
    std::sort(state.ports.begin(), state.ports.end(), [](auto& a, auto& b) { return a.port < b.port; });
    states_[state.device] = std::move(state);
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

std::optional<PortName> FabricView::neighbour(const PortName& port) const
{
    if (const auto found = neighbours_.find(port); found != neighbours_.end()) {
        return found->second;
    }
    const auto* state = state_of(port);
    return state == nullptr ? std::nullopt : state->neighbour;
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

ShownEnd FabricView::end(const PortName& port, Instant now) const
{
    ShownEnd shown{port, sight(port.device, now), {}};
    for (const auto channel : kChannels) {
        const auto source = sources_.find({port.device, channel});
        if (source == sources_.end()) {
            continue;
        }
        if (const auto found = source->second.links.find(port.port); found != source->second.links.end()) {
            const auto history = downs(found->second);
            shown.history.insert(shown.history.end(), history.begin(), history.end());
        }
    }
    return shown;
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

std::vector<ShownLink> FabricView::links(Instant now) const
{
    std::set<PortName> ends;
    for (const auto& [source, reports] : sources_) {
        for (const auto& [port, messages] : reports.links) {
            ends.insert({source.device, port});
        }
    }
    for (const auto& [port, far] : neighbours_) {
        ends.insert(port);
    }
    std::vector<ShownLink> shown;
    for (const auto& port : ends) {
        const auto far = neighbour(port);
        if (far && *far < port) {
            continue;  // shown with its other end
        }
        shown.push_back({end(port, now), far ? std::optional{end(*far, now)} : std::nullopt});
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
        for (const auto& [port, messages] : reports.links) {
            positions.push_back(std::prev(messages.end())->position);
        }
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
