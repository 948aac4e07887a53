// A switch of the twin as a device. Treatments of a queue and of a port use different register fields, so that one can
// be undone while the other is in force. An Undo holds the former values of those fields:
//   ignore_pause, drop_egress, drop   the queue's bit in four masks (drop is all four)
//   lossless_off                      all lossless priorities of the port in the mask of that name
//   squeeze                           a maximum frame size below the smallest frame, and PFC off for received pause
//   port_down                         the transmitter off
#pragma once

#include "device/twin/links.hpp"
#include "device/twin/node_device.hpp"
#include "twin/switch_view.hpp"

namespace petrel::device::twin {

class SwitchDevice final : public NodeDevice {
public:
    SwitchDevice(sim::SwitchView, const Seat&, const Traits&);
    ~SwitchDevice() override;
    SwitchDevice(const SwitchDevice&) = delete;
    SwitchDevice& operator=(const SwitchDevice&) = delete;

    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    void listen(NoticeSink&) override;
    // Uses the intervals of the traits, because they are fixed in the hardware. Those of the policies are ignored.
    Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow>) override;
    Result<std::vector<link::LinkSample>> read_links() override { return links_.read(); }

private:
    struct Intervals {
        Duration detect{};
        Duration recover{};
    };
    Intervals intervals(const Target&) const;
    void program_detectors();
    void set_detector(std::size_t row, bool on);
    void sample(const watchdog::RowInfo&, watchdog::Sample&) override;
    BitRate speed(std::uint16_t port) const override { return {view_.speed_bps(static_cast<std::uint8_t>(port))}; }
    void sample_queue(const watchdog::RowInfo&, watchdog::Sample&);
    watchdog::Treatment shown(const Target&) const;
    std::uint8_t queue_of(const Target&) const;
    void report(const sim::Interrupt&, sim::Ps, NoticeSink&) const;

    sim::SwitchView view_;
    Traits traits_;
    std::vector<bool> detector_on_;  // by row
    Links links_;
};

}  // namespace petrel::device::twin
