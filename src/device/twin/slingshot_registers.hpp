// A switch of the twin as Slingshot's driver would show it: three registers and two counters of each port. The contract
// is that of NodeDevice.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/slingshot/registers.hpp"
#include "device/twin/links.hpp"
#include "device/twin/seat.hpp"
#include "device/twin/traits.hpp"
#include "twin/switch_view.hpp"

namespace petrel::device::twin {

// Comes between the writes of a command. What it throws passes through the device.
struct RegisterGate {
    std::function<Result<void>(slingshot::Register)> before_write;
};

class SlingshotRegisters final : public slingshot::Registers {
public:
    // The limit of the switch is that of the traits: a longer pause shows in the pause-timeout status.
    SlingshotRegisters(petrel::twin::SwitchView, const Seat&, const Traits&,
                       std::shared_ptr<const RegisterGate> = nullptr);

    std::span<const slingshot::Port> ports() const override { return ports_; }
    Result<std::vector<Result<slingshot::PortReading>>> read(std::span<const std::uint16_t> ports) override;
    Result<void> write(std::uint16_t port, slingshot::Register, std::uint32_t value) override;
    bool reads_links() const override { return reads_links_; }
    Result<std::vector<link::LinkSample>> read_links() override { return links_.read(); }
    bool lost() const override { return false; }
    Result<void> close() override { return {}; }

private:
    slingshot::PortReading reading(std::uint8_t port) const;

    petrel::twin::SwitchView view_;
    Seat seat_;
    std::shared_ptr<const RegisterGate> gate_;  // null: every write passes
    std::vector<slingshot::Port> ports_;
    Links links_;
    bool reads_links_;
};

}  // namespace petrel::device::twin
