#include "lab/live/twin_device.hpp"

#include "device/slingshot/slingshot_device.hpp"
#include "device/twin/nic_device.hpp"
#include "device/twin/switch_device.hpp"

namespace petrel::lab {

Hardware hardware_of(const scenario::Scenario& scenario, scenario::NodeId node)
{
    Hardware hardware;
    for (const auto& watch : scenario.watches) {
        if (watch.node == node) {
            hardware.traits.pause_limit = watch.hardware.pause_limit;
            hardware.traits.deadlock_detect = watch.hardware.deadlock_detect;
            hardware.traits.deadlock_recover = watch.hardware.deadlock_recover;
            hardware.acts_after = watch.hardware.acts_after;
            hardware.traits.acts_later = watch.hardware.acts_after != Duration::zero();
            hardware.slingshot = watch.hardware.slingshot;
        }
    }
    for (const auto& own : scenario.port_detectors) {
        if (own.port.node == node) {
            hardware.traits.of_port.push_back({static_cast<std::uint8_t>(own.port.port), own.detect, own.recover});
        }
    }
    return hardware;
}

std::unique_ptr<device::Device> device_of(twin::Twin& twin, const device::twin::Seat& seat, const Hardware& hardware)
{
    if (!twin.is_switch(seat.node)) {
        return std::make_unique<device::twin::NicDevice>(twin.nic_view(seat.node), seat, hardware.traits);
    }
    const auto view = twin.switch_view(seat.node);
    if (!hardware.slingshot) {
        return std::make_unique<device::twin::SwitchDevice>(view, seat, hardware.traits);
    }
    auto registers = std::make_unique<device::twin::SlingshotRegisters>(view, seat, hardware.traits, hardware.gate);
    return std::make_unique<device::slingshot::SlingshotDevice>(seat.id, std::move(registers), seat.clock);
}

}  // namespace petrel::lab
