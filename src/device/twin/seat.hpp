// Where a device of the twin sits: on which node, under which number, and how its clock and simulated time go together.
//
// Contract: the clock stands at the simulated present, a whole nanosecond. Topology and clock outlive the device.
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
    Instant start{};  // when the run began, on that clock

    petrel::twin::Ps now() const { return petrel::twin::from_instant(Instant{clock.now().mono - start}); }
    Instant instant(petrel::twin::Ps t) const { return start + petrel::twin::to_instant(t).time_since_epoch(); }
};

}  // namespace petrel::device::twin
