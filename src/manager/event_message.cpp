#include "manager/event_message.hpp"

#include <fmt/format.h>

#include "codec/manager/unnumbered_event.hpp"
#include "fabric/port_errors.hpp"

namespace petrel::manager {
namespace {

using MessageKind = fabric::Message::Kind;
using watchdog::EventKind;

void describe_link(const codec::EventLine& line, fabric::Message& message)
{
    message.kind = line.known->kind == EventKind::link_up ? MessageKind::link_up : MessageKind::link_down;
    message.link = line.known->link;
    message.cause = message.link ? message.link->cause : link::kUnclassified;
    message.text = line.known->by;
}

void describe_error(const codec::EventLine& line, fabric::Message& message)
{
    if (const auto event = fabric::port_event(*line.known, 0, message.at)) {
        message.kind =
            event->kind == fabric::PortEvent::Kind::opened ? MessageKind::error_opened : MessageKind::error_closed;
        message.cause = event->cause;
        message.text = line.action.empty() ? line.event : fmt::format("{}, {}", line.event, line.action);
    }
}

}  // namespace

std::optional<fabric::Message> event_message(const codec::EventLine& line)
{
    if (line.device.empty() || line.seq == 0) {
        return std::nullopt;
    }
    fabric::Message message;
    message.source = {line.device, fabric::Channel::agent};
    message.position.number = line.seq;
    message.kind = MessageKind::other;
    message.port = line.port;
    message.priority = line.priority;
    message.at = WallTime{std::chrono::microseconds{line.time_us}};
    message.text = line.event;
    if (line.known && !line.port.empty()) {
        const bool link = line.known->kind == EventKind::link_down || line.known->kind == EventKind::link_up;
        link ? describe_link(line, message) : describe_error(line, message);
    }
    return message;
}

TakenMessage forgotten_message(const std::string& device, const std::string& port, const fabric::PortErrorRecord& error,
                               WallTime now)
{
    TakenMessage taken;
    auto& message = taken.message;
    message.source = {device, fabric::Channel::manager};
    message.position = {error.last_boot, error.last_seq};
    message.kind = MessageKind::error_closed;
    message.port = port;
    message.priority = error.priority;
    message.cause = error.cause;
    message.at = message.observed_at = now;
    message.text = "error_forgotten";
    taken.event = codec::forgotten_event_json(message);
    return taken;
}

TakenMessage recount_message(const std::string& device, fabric::Position position, WallTime now)
{
    TakenMessage taken;
    auto& message = taken.message;
    message.source = {device, fabric::Channel::agent};
    message.position = position;
    message.kind = MessageKind::other;
    message.at = message.observed_at = now;
    message.text = "records_lost";
    taken.event = codec::recount_event_json(message);
    return taken;
}

}  // namespace petrel::manager
