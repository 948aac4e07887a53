// One Linux network interface as a device, for the watchdog of a NIC: one row, the port, whose receive pipeline serves
// all priorities. The only treatment is mute_pause: PFC off for all priorities and pause of the link off, through the
// kernel. dcbnl has one bit of a priority for both directions, so a muted NIC does not honour pause either.
//
// The settings before a treatment are in the Undo. A device that was opened while everything is off cannot distinguish
// a treatment from the NIC's configuration and shows `none`; an agent that remembers a latch applies it again, which
// writes nothing.
//
//   settings now                    | shows as
//   all off, on when last untreated | mute_pause
//   some of them off                | ignore_pause: half done, or half undone
//   otherwise                       | none
//
// Other programs may turn PFC on again. A treated device checks its settings once a second, and then wants to be opened
// again: the agent compares its memory with the device and applies the latch again. The runner's growing delay between
// openings bounds this fight.
//
// A port whose driver or counters cannot show a stall is monitored only: it is unseen, with the reason.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/linux/kernel.hpp"
#include "device/nic_port.hpp"
#include "device/plain_device.hpp"

namespace petrel::device::linux_nic {

class LinuxDevice final : public PlainDevice {
public:
    using NoteSink = std::function<void(const std::string&)>;

    static Result<std::unique_ptr<LinuxDevice>> open(DeviceId, const std::string& interface, std::unique_ptr<Kernel>,
                                                     const TimeSource&, const NoteSink&);

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    void listen(NoticeSink&) override {}  // the looks show everything
    void set_watched_rows(std::span<const Slot> rows) override { watched_ = !rows.empty(); }
    std::vector<UnseenQueue> unseen_queues() const override;
    bool wants_reopening() const override { return changed_by_others_; }

private:
    // None: the driver does not have it.
    struct Settings {
        std::optional<Pfc> pfc;
        std::optional<LinkPause> pause;
        bool supported() const { return pfc || pause; }
        bool on() const { return (pfc && pfc->enabled != 0) || (pause && pause->sends); }
    };

    LinuxDevice(DeviceId, std::string interface, std::unique_ptr<Kernel>, const TimeSource&);

    void describe(const std::string& driver, const NoteSink&);
    watchdog::Sample sample(const NicCounters&);
    void follow_link(const LinkState&);
    bool stale(const watchdog::Sample&) const;
    void check_treatment(Instant now);
    Result<void> check(const Target&) const;
    Result<void> check(const watchdog::Command&) const;
    Result<Settings> read_settings();
    Result<void> write(const Settings& wanted);
    watchdog::Treatment shown_by(const Settings&) const;

    std::string interface_;
    std::unique_ptr<Kernel> kernel_;
    const TimeSource& clock_;
    const Vendor* vendor_{};  // null: unknown
    std::optional<CounterReader> reader_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    bool watched_{};
    std::optional<std::string> unseen_;  // why

    NicPort pause_sent_;
    std::uint32_t pause_sources_{};  // a bit for each priority and one for the link: whose pause is counted
    std::optional<LinkState> link_;
    std::uint32_t epoch_{};
    std::optional<watchdog::Sample> last_;

    Settings usual_;  // when last untreated
    bool muted_{};    // the last command was mute_pause
    Instant checked_{};
    bool changed_by_others_{};
};

}  // namespace petrel::device::linux_nic
