// The device that software finds on a node of the twin, as the scenario describes its hardware: the same for agents in
// simulated time and in wall-clock time.
#pragma once

#include <memory>

#include "device/twin/seat.hpp"
#include "device/twin/traits.hpp"
#include "scenario/scenario.hpp"
#include "twin/twin.hpp"

namespace petrel::lab {

struct Hardware {
    device::twin::Traits traits;
    bool slingshot{};  // a switch that shows Slingshot's registers, and of the traits has its pause limit
};

Hardware hardware_of(const scenario::Scenario&, scenario::NodeId);

// Of the seat's node. The twin outlives it.
std::unique_ptr<device::Device> device_of(twin::Twin&, const device::twin::Seat&, const Hardware&);

}  // namespace petrel::lab
