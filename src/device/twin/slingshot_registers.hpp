// A switch of the twin as Slingshot's driver would show it: three registers of each port, and two counters. Contract as
// of a NodeDevice: the clock stands at the simulated present, and the twin outlives it.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "device/slingshot/registers.hpp"
#include "topology/topology.hpp"
#include "twin/switch_view.hpp"

namespace petrel::device::twin {

class SlingshotRegisters final : public slingshot::Registers {
public:
    // `pause_limit` is the switch's own: a longer pause shows in the status.
    SlingshotRegisters(petrel::twin::SwitchView, const topology::Topology&, topology::NodeId, Duration pause_limit,
                       const TimeSource&);

    std::span<const slingshot::Port> ports() const override { return ports_; }
    Result<std::uint32_t> read(std::uint16_t port, slingshot::Register) override;
    Result<void> write(std::uint16_t port, slingshot::Register, std::uint32_t value) override;
    std::uint32_t usual(std::uint16_t port, slingshot::Register) const override;
    Result<std::uint64_t> count(std::uint16_t port, slingshot::Counter) override;
    Result<std::uint32_t> epoch(std::uint16_t port) override;

private:
    petrel::twin::Ps now() const;
    std::uint8_t heeded() const;

    petrel::twin::SwitchView view_;
    const TimeSource& clock_;
    std::vector<slingshot::Port> ports_;
};

}  // namespace petrel::device::twin
