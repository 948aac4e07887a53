// The state of a device as its agent reports it to the manager. The loop collects it as data; the worker of the uplink
// makes and renders the rows.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/policy_file.hpp"
#include "runner/device_runner.hpp"
#include "uplink/snapshot.hpp"

namespace petrel::runner {

// By port, what is connected to it.
using Neighbours = std::map<std::string, uplink::Neighbour>;

struct DeviceSeen {
    std::string name;
    std::string state;                               // its condition, in the words of `petrel status`
    std::shared_ptr<const DeviceSnapshot> snapshot;  // null: it is not watched
    std::map<std::string, std::optional<bool>> links;
    std::map<std::string, std::uint64_t> uncleared;  // by port, the event that its link-down registers hold
    Neighbours neighbours;
};

// What the file and the NOS know about this device. The file wins.
Neighbours neighbours_of(const config::PolicyFile&, std::string_view device);

DeviceSeen look_at(DeviceRunner&, Neighbours);

// Queues that are neither watched nor treated are left out.
uplink::DeviceState device_state(const DeviceSeen&);

// All storms of the device's agent. None: the device is not watched, or an event is not written yet.
std::optional<std::vector<uplink::StormPlace>> storms_of(const DeviceRunner&);

// The counters of all queues at the last look; none while a look is under way, or if the device is not watched.
std::optional<std::vector<uplink::QueueSample>> samples_of(const DeviceRunner&, const Now&);

}  // namespace petrel::runner
