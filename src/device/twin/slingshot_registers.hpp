// A switch of the twin as Slingshot's driver would show it: three registers and two counters of each port. The contract
// is that of NodeDevice.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/slingshot/registers.hpp"
#include "device/twin/seat.hpp"
#include "twin/switch_view.hpp"

namespace petrel::device::twin {

// Comes between the writes of a command. What it throws passes through the device.
struct RegisterGate {
    std::function<Result<void>(slingshot::Register)> before_write;
};

class SlingshotRegisters final : public slingshot::Registers {
public:
    // `pause_limit` is the limit of the switch: a longer pause shows in the pause-timeout status.
    SlingshotRegisters(petrel::twin::SwitchView, const Seat&, Duration pause_limit,
                       std::shared_ptr<const RegisterGate> = nullptr);

    std::span<const slingshot::Port> ports() const override { return ports_; }
    Result<std::vector<Result<slingshot::PortReading>>> read(std::span<const std::uint16_t> ports) override;
    Result<void> write(std::uint16_t port, slingshot::Register, std::uint32_t value) override;
    bool lost() const override { return false; }
    Result<void> close() override { return {}; }

private:
    slingshot::PortReading reading(std::uint8_t port) const;

    petrel::twin::SwitchView view_;
    Seat seat_;
    std::shared_ptr<const RegisterGate> gate_;  // null: every write passes
    std::vector<slingshot::Port> ports_;
};

}  // namespace petrel::device::twin
