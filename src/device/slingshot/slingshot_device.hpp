// A Slingshot switch as a device: a row for each edge port, whose pause-timeout status says that its node pauses for
// too long. The one treatment is squeeze: the maximum frame size goes below that of the smallest frame, so that
// whatever is sent to the node is discarded, then PCP_ENABLE goes off, so that the node's pause holds up nobody. The
// link stays up. To restore is to put both back, in the same order.
//
//   max frame size | PCP_ENABLE | shows as
//   as it was      | on         | none
//   too small      | off        | squeeze
//   too small      | on         | drop_egress: half done, or half undone
//   as it was      | off        | ignore_pause: likewise, unless the port's configuration has it off
//
// Neither half can be asked for: whoever finds one finishes it, or undoes it.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/slingshot/registers.hpp"

namespace petrel::device::slingshot {

class SlingshotDevice final : public Device {
public:
    SlingshotDevice(DeviceId, std::unique_ptr<Registers>, const TimeSource&);

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    void listen(NoticeSink&) override {}  // all there is to hear shows in the looks

private:
    struct Settings {
        std::uint32_t max_frame_size{};
        std::uint32_t pcp_enable{};
    };

    watchdog::Sample sample(Slot);
    Result<void> check(const Target&) const;
    Result<void> check(const watchdog::Command&) const;
    Settings usual(std::uint16_t port) const;
    Result<Settings> read(std::uint16_t port);
    watchdog::Treatment shown_by(const Settings&, std::uint16_t port) const;

    std::unique_ptr<Registers> registers_;
    const TimeSource& clock_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
};

}  // namespace petrel::device::slingshot
