#include "runner/uplink_snapshot.hpp"

#include <utility>

#include "control/names.hpp"

namespace petrel::runner {
namespace {

// What a device that is not watched shows: nothing of its queues is known.
void add_ports(const DeviceSeen& seen, uplink::DeviceState& device)
{
    for (const auto& port : seen.snapshot->list->inventory.ports) {
        auto& added = device.ports.emplace_back();
        added.port = port.name;
        if (const auto known = seen.neighbours.find(port.name); known != seen.neighbours.end()) {
            added.neighbour = known->second;
        }
        if (const auto link = seen.links.find(port.name); link != seen.links.end()) {
            added.up = link->second;
        }
        if (const auto known = seen.uncleared.find(port.name); known != seen.uncleared.end()) {
            added.uncleared = known->second;
        }
    }
}

}  // namespace

Neighbours neighbours_of(const config::PolicyFile& file, std::string_view device)
{
    Neighbours all;
    for (const auto& known : file.neighbours) {
        if (known.device.empty() || known.device == device) {
            all[known.port] = {known.far_device, known.far_port};
        }
    }
    for (const auto& entry : file.ports) {
        if (const auto colon = entry.neighbour.find(':'); colon != std::string::npos) {
            all[entry.port.name] = {entry.neighbour.substr(0, colon), entry.neighbour.substr(colon + 1)};
        }
    }
    return all;
}

DeviceSeen look_at(DeviceRunner& runner, Neighbours neighbours)
{
    DeviceSeen seen{runner.name(),        std::string{control::name(runner.report().condition)}, nullptr, {}, {},
                    std::move(neighbours)};
    if (runner.agent() == nullptr) {
        return seen;
    }
    seen.snapshot = runner.snapshot();
    for (const auto& link : runner.links({}, false)) {
        seen.links[link.port] = link.up;
        if (link.unacknowledged) {
            seen.uncleared[link.port] = link.unacknowledged->seq;
        }
    }
    return seen;
}

uplink::DeviceState device_state(const DeviceSeen& seen)
{
    uplink::DeviceState device{seen.name, seen.state, {}};
    if (!seen.snapshot) {
        return device;
    }
    add_ports(seen, device);
    const auto& list = *seen.snapshot->list;
    for (std::uint32_t row = 0; row != seen.snapshot->rows.size(); ++row) {
        const auto& target = list.inventory.rows[row].target;
        const bool watched = list.rows[row].policy != watchdog::kUnwatched;
        if (!target.priority || (!watched && at_rest(seen.snapshot->rows[row].phase))) {
            continue;
        }
        const auto report = queue_report(*seen.snapshot, Slot{row});
        const auto programmed = control::action_name(report.effective);
        device.ports[target.port.index].queues.push_back(
            {target.priority->value, std::string{control::phase_name(report.phase)},
             std::string{control::action_name(report.configured)}, std::string{programmed},
             std::string{control::treatment_name(report.observed)}});
    }
    return device;
}

std::optional<std::vector<uplink::StormPlace>> storms_of(const DeviceRunner& runner)
{
    if (runner.agent() == nullptr || !runner.all_written()) {
        return std::nullopt;
    }
    const auto& dog = runner.agent()->watchdog();
    const auto& inventory = dog.watchlist().inventory;
    std::vector<uplink::StormPlace> open;
    for (std::uint32_t row = 0; row != inventory.rows.size(); ++row) {
        if (!at_rest(dog.phase(Slot{row}))) {
            const auto& [port, priority] = inventory.rows[row].target;
            open.push_back(
                {inventory.ports[port.index].name, priority ? std::optional{priority->value} : std::nullopt});
        }
    }
    return open;
}

std::optional<std::vector<uplink::QueueSample>> samples_of(const DeviceRunner& runner, const Now& now)
{
    const auto* intake = runner.intake();
    if (runner.agent() == nullptr || intake == nullptr) {
        return std::nullopt;
    }
    const auto& inventory = runner.agent()->watchdog().watchlist().inventory;
    std::vector<uplink::QueueSample> samples;
    for (std::uint32_t row = 0; row != inventory.rows.size(); ++row) {
        const auto& target = inventory.rows[row].target;
        const auto counts = target.priority ? intake->pfc_counts(Slot{row}) : watchdog::PfcCounts{};
        if (counts.pause_us || counts.rx_frames) {
            samples.push_back({runner.name(), inventory.ports[target.port.index].name, target.priority->value,
                               wall_time(now, counts.read_at).time_since_epoch().count(), counts.pause_us.value_or(0),
                               counts.tx_packets.value_or(0), counts.rx_frames.value_or(0)});
        }
    }
    return samples;
}

}  // namespace petrel::runner
