// A NIC of the twin as a device, for the watchdog in its micro-controller: a row for the port, whose
// receive pipeline serves all priorities, and one for each priority for which it can send pause. Its treatments are
// port-wide: mute_pause (sends no pause for the priorities that are stuck, or for none if no single one is) and
// port_down (transmitter off). As on a NIC of Linux, another priority that is stuck for 100 ms mutes all.
#pragma once

#include <optional>

#include "device/nic_port.hpp"
#include "device/stuck_pause.hpp"
#include "device/twin/links.hpp"
#include "device/twin/node_device.hpp"
#include "twin/nic_view.hpp"

namespace petrel::device::twin {

class NicDevice final : public NodeDevice {
public:
    NicDevice(sim::NicView, const Seat&, const Traits&);

    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    void listen(NoticeSink&) override {}  // the hardware detects no storms; a link that went down shows in the looks
    Result<std::vector<link::LinkSample>> read_links() override { return links_.read(); }

private:
    void sample(const watchdog::RowInfo&, watchdog::Sample&) override;
    void sample(std::uint8_t priority, watchdog::Sample&) const;
    void follow_stuck(std::span<const watchdog::Sample, kPriorities>);
    BitRate speed(std::uint16_t /*port*/) const override { return {view_.speed_bps()}; }
    watchdog::Treatment shown(const Target&) const;

    sim::NicView view_;
    NicPort port_;
    StuckPause stuck_;
    std::uint32_t epoch_{};
    std::optional<watchdog::Treatment> want_;  // none: an earlier process may have treated the NIC
    std::uint8_t muted_{0xff};                 // bit p: by mute_pause, priority p
    Links links_;
};

}  // namespace petrel::device::twin
