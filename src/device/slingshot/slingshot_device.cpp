#include "device/slingshot/slingshot_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/undo_fields.hpp"

namespace petrel::device::slingshot {

using watchdog::Command;
using watchdog::Field;
using watchdog::Sample;
using watchdog::Treatment;

namespace {

constexpr std::uint32_t kSmallestFrame = 64;
constexpr std::uint32_t kOff = 0;
constexpr Settings kSqueezed{kSmallestFrame - 1, kOff};

}  // namespace

SlingshotDevice::SlingshotDevice(DeviceId id, std::unique_ptr<Registers> registers, const TimeSource& clock)
    : registers_(std::move(registers)), clock_(clock)
{
    for (const auto& port : registers_->ports()) {
        watchdog::RowInfo row;
        row.target = {{id, static_cast<std::uint16_t>(inventory_.ports.size())}, std::nullopt};
        row.speed = port.speed;
        row.host_facing = port.edge;
        inventory_.ports.push_back(port.names);
        if (port.edge) {
            inventory_.rows.push_back(row);
        }
    }
    capabilities_.fields = bit(Field::pause_timeout) | bit(Field::tx_packets) | bit(Field::tx_drops);
    capabilities_.survive = capabilities_.fields;
    capabilities_.treatments = bit(Treatment::squeeze);
    capabilities_.port_wide = bit(Treatment::squeeze);
    capabilities_.reads_back = true;
    capabilities_.reads_links = registers_->reads_links();
}

Result<void> SlingshotDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    const auto all = static_cast<std::uint32_t>(inventory_.rows.size());
    std::vector<Slot> slots{rows.begin(), rows.end()};
    for (std::uint32_t row = 0; rows.empty() && row != all; ++row) {
        slots.push_back(Slot{row});
    }
    std::vector<std::uint16_t> ports;
    for (const auto slot : slots) {
        if (slot.value >= all) {
            return tl::unexpected(Error{ErrorKind::invalid, fmt::format("no row {}, there are {}", slot.value, all)});
        }
        ports.push_back(port_of(slot));
    }
    return registers_->read(ports).map([&](const std::vector<Result<PortReading>>& readings) {
        for (std::size_t i = 0; i != slots.size(); ++i) {
            if (readings[i]) {
                unseen_.erase(slots[i]);
                into.put(sample(slots[i], *readings[i]));
            } else {
                unseen_[slots[i]] = readings[i].error().what;
            }
        }
    });
}

Sample SlingshotDevice::sample(Slot slot, const PortReading& reading)
{
    const auto& port = registers_->ports()[port_of(slot)];
    if (auto& row = inventory_.rows[slot.value]; row.speed != port.speed) {
        row.speed = port.speed;
        ++inventory_.generation;
    }
    Sample sample;
    sample.slot = slot;
    sample.read_at = clock_.now().mono;
    sample.epoch = reading.epoch;
    const auto put = [&](Field field, std::optional<std::uint64_t> value) {
        if (value) {
            sample.known |= bit(field);
            sample[field] = *value;
        }
    };
    put(Field::pause_timeout, reading.pause_timeout & (port.usual.pcp_enable == kOff ? 0 : port.honours));
    put(Field::tx_packets, reading.frames_sent);
    put(Field::tx_drops, reading.frames_discarded);
    return sample;
}

std::vector<UnseenQueue> SlingshotDevice::unseen_queues() const
{
    std::vector<UnseenQueue> ports;
    for (const auto row : watched_) {
        if (const auto found = unseen_.find(row); found != unseen_.end()) {
            ports.push_back({inventory_.ports[port_of(row)].name, found->second});
        }
    }
    return ports;
}

Result<void> SlingshotDevice::check(const Target& target) const
{
    const bool exists =
        std::ranges::any_of(inventory_.rows, [&](const watchdog::RowInfo& row) { return row.target == target; });
    if (!exists) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("no edge port {}", target.port.index)});
    }
    return {};
}

Result<void> SlingshotDevice::check(const Command& command) const
{
    if (command.want != Treatment::none && command.want != Treatment::squeeze) {
        return tl::unexpected(
            Error{ErrorKind::unsupported, fmt::format("this device cannot do {}", name(command.want))});
    }
    return check(command.target);
}

Result<Settings> SlingshotDevice::read(std::uint16_t port)
{
    return registers_->read({&port, 1}).and_then([](const std::vector<Result<PortReading>>& readings) {
        return readings.front().map([](const PortReading& reading) { return reading.settings; });
    });
}

Treatment SlingshotDevice::shown_by(const Settings& set, std::uint16_t port) const
{
    if (set.max_frame_size < kSmallestFrame) {
        return set.pcp_enable == kOff ? Treatment::squeeze : Treatment::drop_egress;
    }
    const bool ours = set.pcp_enable == kOff && usual(port).pcp_enable != kOff;
    return ours ? Treatment::ignore_pause : Treatment::none;
}

// If a port is treated, fully or partly, its former settings are unknown: the Undo holds the values of its
// configuration.
Result<Undo> SlingshotDevice::prepare(const Command& command)
{
    const auto port = command.target.port.index;
    return check(command).and_then([&] { return read(port); }).map([&](const Settings& set) {
        return to_undo(shown_by(set, port) == Treatment::none ? set : usual(port));
    });
}

Result<void> SlingshotDevice::apply(const Command& command, const Undo& undo)
{
    const auto port = command.target.port.index;
    return check(command).and_then([&]() -> Result<void> {
        auto wanted = undo.size == 0 ? Result<Settings>{usual(port)} : from_undo<Settings>(undo);
        if (wanted && command.want == Treatment::squeeze) {
            wanted = kSqueezed;
        }
        return wanted.and_then([&](const Settings& set) {
            return registers_->write(port, Register::max_frame_size, set.max_frame_size).and_then([&] {
                return registers_->write(port, Register::pcp_enable, set.pcp_enable);
            });
        });
    });
}

Result<Treatment> SlingshotDevice::read_back(const Target& target)
{
    const auto port = target.port.index;
    return check(target).and_then([&] { return read(port); }).map([&](const Settings& set) {
        return shown_by(set, port);
    });
}

}  // namespace petrel::device::slingshot
