// A Slingshot switch as a device: a row for each edge port, whose pause-timeout status shows that its node pauses for
// too long. The only treatment is squeeze: first the maximum frame size is set below the smallest frame, so that every
// frame to the node is discarded; then PCP_ENABLE is cleared, so that the node's pause stops no traffic. The link stays
// up. A restore writes both back, in the same order.
//
//   max frame size | PCP_ENABLE | shows as
//   as it was      | on         | none
//   too small      | off        | squeeze
//   too small      | on         | drop_egress: half done, or half undone
//   as it was      | off        | ignore_pause: half done, or half undone, unless the port's configuration has it off
//
// The two halves cannot be requested as treatments. An agent that finds one of them completes it or undoes it.
//
// A look fails if no port can be read. A port that cannot be read alone is unseen.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/plain_device.hpp"
#include "device/slingshot/registers.hpp"

namespace petrel::device::slingshot {

class SlingshotDevice final : public PlainDevice {
public:
    SlingshotDevice(DeviceId, std::unique_ptr<Registers>, const TimeSource&);

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    void listen(NoticeSink&) override {}  // the looks show everything; there are no notices
    void set_watched_rows(std::span<const Slot> rows) override { watched_.assign(rows.begin(), rows.end()); }
    std::vector<UnseenQueue> unseen_queues() const override;
    bool wants_reopening() const override { return registers_->lost(); }
    Result<std::vector<link::LinkSample>> read_links() override { return registers_->read_links(); }
    Result<void> close() override { return registers_->close(); }

private:
    std::uint16_t port_of(Slot row) const { return inventory_.rows[row.value].target.port.index; }
    watchdog::Sample sample(Slot, const PortReading&);
    Result<void> check(const Target&) const;
    Result<void> check(const watchdog::Command&) const;
    const Settings& usual(std::uint16_t port) const { return registers_->ports()[port].usual; }
    Result<Settings> read(std::uint16_t port);
    watchdog::Treatment shown_by(const Settings&, std::uint16_t port) const;

    std::unique_ptr<Registers> registers_;
    const TimeSource& clock_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    std::vector<Slot> watched_;
    std::map<Slot, std::string> unseen_;  // and why, as of the last look at the row
};

}  // namespace petrel::device::slingshot
