#include "daemon/uplink_snapshot.hpp"

#include <utility>

#include "control/names.hpp"

namespace petrel::daemon {
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
    }
}

}  // namespace

DeviceSeen look_at(DeviceRunner& runner, Neighbours neighbours)
{
    DeviceSeen seen{
        runner.name(), std::string{control::name(runner.report().condition)}, nullptr, {}, std::move(neighbours)};
    if (runner.agent() == nullptr) {
        return seen;
    }
    seen.snapshot = runner.snapshot();
    for (const auto& link : runner.links({}, false)) {
        seen.links[link.port] = link.up;
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

}  // namespace petrel::daemon
