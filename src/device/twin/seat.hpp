// The place of a device in the twin: its node, its device id, and how its clock relates to simulated time.
//
// Contract: the clock shows the simulated present, in whole nanoseconds. Topology and clock outlive the device.
#pragma once

#include "device/device.hpp"
#include "topology/topology.hpp"
#include "twin/sim_time.hpp"

namespace petrel::device::twin {

struct Seat {
    const topology::Topology& topology;
    topology::NodeId node;
    const TimeSource& clock;
    DeviceId id{node.value};
    Instant start{};  // start of the run on that clock

    petrel::twin::Ps now() const { return petrel::twin::from_instant(Instant{clock.now().mono - start}); }
    Instant instant(petrel::twin::Ps t) const { return start + petrel::twin::to_instant(t).time_since_epoch(); }
};

}  // namespace petrel::device::twin
