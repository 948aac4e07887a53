// The commands of SonicDevice: treatments of queues and ports as messages to orchagent, and what orchagent shows of
// them.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "device/sonic/sonic_device.hpp"

namespace petrel::device::sonic {

using watchdog::Command;
using watchdog::has;
using watchdog::Treatment;

Result<std::uint32_t> SonicDevice::row_of(const PortPlace& port, Priority priority) const
{
    for (auto row = port.first; row != port.first + port.count; ++row) {
        if (reader_->layout().queues[row].priority == priority) {
            return row;
        }
    }
    return tl::unexpected(Error{ErrorKind::invalid, "there is no such queue"});
}

Result<const PortPlace*> SonicDevice::port_of(const Target& target) const
{
    const auto& ports = reader_->layout().ports;
    if (target.port.device != id_ || target.port.index >= ports.size()) {
        return tl::unexpected(Error{ErrorKind::invalid, "there is no such port"});
    }
    return &ports[target.port.index];
}

Result<void> SonicDevice::apply(const Command& command, const Undo&)
{
    const bool storm = command.want != Treatment::none;
    const bool of_port = !command.target.priority;
    if (storm &&
        (!has(capabilities_.treatments, command.want) || has(capabilities_.port_wide, command.want) != of_port)) {
        return tl::unexpected(
            Error{ErrorKind::unsupported, fmt::format("orchagent has no such action: {}", name(command.want))});
    }
    if (storm && !decider_.agent_may_decide()) {
        return tl::unexpected(Error{ErrorKind::denied, "SONiC's own scripts decide about storms now"});
    }
    return port_of(command.target).and_then([&](const PortPlace* port) {
        if (of_port) {
            return storm ? switch_lossless_off(*port) : restore_lossless(*port);
        }
        return row_of(*port, *command.target.priority).and_then([&](std::uint32_t row) {
            rows_[row].own_storm = storm;
            return lossless_ports_.are_off(port->name) ? Result<void>{} : request(row, storm);
        });
    });
}

Result<void> SonicDevice::await_effect(const Command& command)
{
    return port_of(command.target).and_then([&](const PortPlace* port) -> Result<void> {
        if (!command.target.priority) {
            return command.want != Treatment::none ? await_results(*port) : await_lossless(*port);
        }
        return row_of(*port, *command.target.priority).and_then([&](std::uint32_t row) { return await_result(row); });
    });
}

Result<void> SonicDevice::request(std::uint32_t row, bool storm)
{
    rows_[row].requested = storm;
    reader_->distrust(Slot{row});  // orchagent changes its status
    return send(store_, message_for(row, storm)).map([&](Sent sent) { rows_[row].sent = std::move(sent); });
}

Result<void> SonicDevice::await_result(std::uint32_t row)
{
    const auto sent = std::exchange(rows_[row].sent, std::nullopt);
    if (!sent) {
        return {};
    }
    // If orchagent timed out last time, do not wait: other queues are not delayed, and the agent retries later.
    const auto patience = orchagent_answers_ ? settings_.orchagent : Duration{};
    const auto done = await(store_, *sent, patience);
    orchagent_answers_ = done || done.error().kind != ErrorKind::timed_out;
    if (done) {
        sent->message.storm ? rows_[row].signals.begin_storm(clock_.now().mono) : rows_[row].signals.end_storm();
    }
    return done;
}

Result<void> SonicDevice::await_results(const PortPlace& port)
{
    Result<void> all;
    for (auto row = port.first; row != port.first + port.count; ++row) {
        const auto done = await_result(row);
        all = all ? done : all;
    }
    return all;
}

// Checks all queues before it changes the first one.
Result<void> SonicDevice::switch_lossless_off(const PortPlace& port)
{
    std::vector<Message> messages;
    for (auto row = port.first; row != port.first + port.count; ++row) {
        messages.push_back(message_for(row, true));
    }
    return can_drop(store_, messages).and_then([&] { return lossless_ports_.mark(store_, port.name); }).and_then([&] {
        Result<void> all;
        for (auto row = port.first; row != port.first + port.count; ++row) {
            const auto done = request(row, true);
            all = all ? done : all;
        }
        return all;
    });
}

Result<void> SonicDevice::restore_lossless(const PortPlace& port)
{
    if (!lossless_ports_.are_off(port.name)) {
        return {};
    }
    Result<void> all;
    for (auto row = port.first; row != port.first + port.count; ++row) {
        const auto done = request(row, rows_[row].own_storm);
        all = all ? done : all;
    }
    return all;
}

// A command for one of the queues may have been applied meanwhile.
Result<void> SonicDevice::await_lossless(const PortPlace& port)
{
    auto all = await_results(port);
    if (!all || !lossless_ports_.are_off(port.name)) {
        return all;
    }
    for (auto row = port.first; all && row != port.first + port.count; ++row) {
        if (rows_[row].requested != rows_[row].own_storm) {
            all = request(row, rows_[row].own_storm);
        }
    }
    return all.and_then([&] { return lossless_ports_.unmark(store_, port.name); });
}

Result<Treatment> SonicDevice::read_back(const Target& target)
{
    return port_of(target).and_then([&](const PortPlace* port) -> Result<Treatment> {
        if (!target.priority) {
            return shown_by(*port);
        }
        return row_of(*port, *target.priority).and_then([&](std::uint32_t row) -> Result<Treatment> {
            if (lossless_ports_.are_off(port->name) && !rows_[row].own_storm) {
                return Treatment::none;  // its treatment belongs to the port
            }
            return in_force(store_, reader_->layout().queues[row].oid);
        });
    });
}

// A part of lossless_off shows as ignore_pause, which is no treatment of a port.
Result<Treatment> SonicDevice::shown_by(const PortPlace& port)
{
    std::uint32_t dropping = 0;
    std::uint32_t treated = 0;
    for (auto row = port.first; lossless_ports_.are_off(port.name) && row != port.first + port.count; ++row) {
        const auto shown = in_force(store_, reader_->layout().queues[row].oid);
        if (!shown) {
            return shown;
        }
        dropping += *shown == Treatment::drop ? 1U : 0U;
        treated += *shown != Treatment::none && !rows_[row].own_storm ? 1U : 0U;
    }
    if (dropping == port.count && dropping != 0) {
        return Treatment::lossless_off;
    }
    return treated == 0 ? Treatment::none : Treatment::ignore_pause;
}

}  // namespace petrel::device::sonic
