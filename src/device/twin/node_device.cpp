#include "device/twin/node_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace petrel::device::twin {

using watchdog::Command;
using watchdog::Treatment;

NodeDevice::NodeDevice(const Seat& seat) : seat_(seat)
{
    inventory_.ports = seat.topology.nodes[seat.node.value].ports;
}

void NodeDevice::add_rows(std::uint16_t port, std::uint8_t lossless, watchdog::Fields of_port)
{
    const topology::End here{seat_.node, port};
    const auto link = std::ranges::find_if(
        seat_.topology.links, [&](const topology::Link& l) { return l.ends[0] == here || l.ends[1] == here; });
    if (link == seat_.topology.links.end()) {
        return;  // not connected: no peer can pause this port
    }
    watchdog::RowInfo row;
    const auto& peer = link->ends[link->ends[0] == here ? 1 : 0];
    row.host_facing = seat_.topology.nodes[peer.node.value].kind == topology::Kind::host;
    row.speed = speed(port);
    row.target = {{seat_.id, port}, std::nullopt};
    if ((capabilities_.fields & of_port) != 0) {
        inventory_.rows.push_back(row);
    }
    for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
        if ((unsigned{lossless} >> priority & 1U) != 0) {
            row.target.priority = Priority{priority};
            inventory_.rows.push_back(row);
        }
    }
    last_.resize(inventory_.rows.size());
}

Result<void> NodeDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    const auto instant = seat_.clock.now().mono;
    const auto read = [&](std::uint32_t row) {
        auto& [shown, taken] = last_[row];
        if (shown.known == 0 || instant - taken >= capabilities_.refresh) {
            auto& info = inventory_.rows[row];
            shown.slot = Slot{row};
            shown.read_at = stamp(row, instant);
            taken = instant;
            sample(info, shown);
            if (const auto now = speed(info.target.port.index); now != info.speed) {
                info.speed = now;
                ++inventory_.generation;
            }
        }
        into.put(shown);
    };
    if (rows.empty()) {
        for (std::uint32_t row = 0; row != inventory_.rows.size(); ++row) {
            read(row);
        }
    }
    for (const auto row : rows) {
        if (row.value >= inventory_.rows.size()) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("no row {}, there are {}", row.value, inventory_.rows.size())});
        }
        read(row.value);
    }
    return {};
}

// The time by the device's clock, which drifts, with a random error within the declared uncertainty. Stamps of a row do
// not go backwards.
Instant NodeDevice::stamp(std::uint32_t row, Instant taken) const
{
    constexpr std::int64_t kMillion = 1'000'000;
    const auto run = (taken - seat_.start).count();
    const auto clock =
        taken + Duration{run / kMillion * stamp_drift_ppm_ + run % kMillion * stamp_drift_ppm_ / kMillion};
    const auto most = capabilities_.stamp_uncertainty.count();
    if (most == 0) {
        return clock;
    }
    std::mt19937_64 random{static_cast<std::uint64_t>(taken.time_since_epoch().count()) + row};
    const auto early = clock - Duration{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1))};
    const auto& last = last_[row];
    return last.sample.known == 0 ? early : std::max(early, last.sample.read_at + std::chrono::microseconds{1});
}

Result<void> NodeDevice::check(const Target& target) const
{
    const bool exists = std::ranges::any_of(inventory_.rows, [&](const watchdog::RowInfo& row) {
        return row.target.port == target.port && (!target.priority || row.target.priority == target.priority);
    });
    if (!exists) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("no such queue or port: port {}", target.port.index)});
    }
    return {};
}

Result<void> NodeDevice::check(const Command& command) const
{
    const auto want = command.want;
    const auto refuse = [](std::string why) { return tl::unexpected(Error{ErrorKind::unsupported, std::move(why)}); };
    if (want != Treatment::none && !has(capabilities_.treatments, want)) {
        return refuse(fmt::format("this device cannot do {}", name(want)));
    }
    if (want != Treatment::none && has(capabilities_.port_wide, want) == command.target.priority.has_value()) {
        return refuse(fmt::format("{} does not apply to a {}", name(want), command.target.priority ? "queue" : "port"));
    }
    return check(command.target);
}

}  // namespace petrel::device::twin
