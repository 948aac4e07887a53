// The device of a node of the twin, as the scenario describes its hardware: the same for agents in simulated time and
// in wall-clock time.
#pragma once

#include <memory>

#include "device/twin/seat.hpp"
#include "device/twin/slingshot_registers.hpp"
#include "device/twin/traits.hpp"
#include "scenario/scenario.hpp"
#include "twin/twin.hpp"

namespace petrel::lab {

struct Hardware {
    device::twin::Traits traits;
    Duration acts_after{};  // from a write to its effect; zero: at once
    bool slingshot{};       // a switch with Slingshot's registers; of the traits only its pause limit applies
    std::shared_ptr<const device::twin::RegisterGate> gate{};  // of Slingshot's registers; null: every write passes
};

Hardware hardware_of(const scenario::Scenario&, scenario::NodeId);

// The device of the seat's node. The twin must outlive it.
std::unique_ptr<device::Device> device_of(twin::Twin&, const device::twin::Seat&, const Hardware&);

}  // namespace petrel::lab
