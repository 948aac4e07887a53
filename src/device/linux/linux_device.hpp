// One Linux network interface as a device, for the watchdog of a NIC: one row, the port, whose receive pipeline serves
// all priorities. Its treatments (nic_settings.hpp) go through the kernel. The settings before a treatment are in the
// Undo. A device that was opened while everything is off cannot distinguish a treatment from the NIC's configuration
// and shows `none`; an agent that remembers a latch applies it again, which writes nothing.
//
// A treated device keeps its treatment by itself. It compares its settings with the wanted ones once a second and after
// each notification of a change:
//   another program turned PFC or pause on        written again: at once, then after 1 s, 2 s, 4 s ... 10 s
//   another priority pauses for 100 ms, and the   PFC off for all priorities
//     NIC still receives nothing
//   the driver refuses                            wants to be opened again: the agent applies its treatment, reports
// It also wants to be opened again when its counters are renewed more or less often than before.
//
// While it is watched, the NIC's own stall prevention is armed, and it stays armed: a machine that crashed has no
// agent. If the NIC finds a stall itself, a notice says so.
//
// A port whose driver or counters cannot show a stall is monitored only: it is unseen, with the reason.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/linux/kernel.hpp"
#include "device/linux/nic_facts.hpp"
#include "device/linux/nic_settings.hpp"
#include "device/nic_port.hpp"
#include "device/plain_device.hpp"
#include "device/stuck_pause.hpp"

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
    void listen(NoticeSink& notices) override { notices_ = &notices; }
    int receive_notices() override;
    void set_watched_rows(std::span<const Slot> rows) override;
    std::vector<UnseenQueue> unseen_queues() const override;
    bool wants_reopening() const override { return lost_treatment_ || facts_.refresh != opened_with_.refresh; }
    Result<std::vector<link::LinkSample>> read_links() override;

private:
    LinuxDevice(DeviceId, std::string interface, std::unique_ptr<Kernel>, const TimeSource&, NoteSink);

    void describe(const std::string& driver, const NicSettings&);
    watchdog::Sample sample(const NicCounters&);
    void follow_facts(Instant now);
    std::uint64_t received_elsewhere(const watchdog::Sample&);
    std::uint64_t received_by(const std::string& bonded);
    void follow_link(const LinkState&);
    bool stale(const watchdog::Sample&) const;
    void follow_own_detection(const NicCounters&);
    void arm_prevention();
    void keep_treatment(Instant now);
    void write_again(const NicSettings& now, const NicSettings& wanted, Instant);
    Result<void> check(const Target&) const;
    Result<void> check(const watchdog::Command&) const;

    std::string interface_;
    std::unique_ptr<Kernel> kernel_;
    const TimeSource& clock_;
    NoteSink note_;
    NoticeSink* notices_{};
    const Vendor* vendor_{};  // null: unknown
    std::optional<CounterReader> reader_;
    NicFacts facts_;
    NicFacts opened_with_;
    Instant facts_read_{};
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    bool watched_{};
    std::optional<std::string> unseen_;  // why

    NicPort pause_sent_;
    std::uint32_t pause_sources_{};  // a bit for each priority and one for the link: whose pause is counted
    StuckPause stuck_;
    std::optional<LinkState> link_;
    std::uint32_t epoch_{};
    std::optional<watchdog::Sample> last_;
    std::optional<std::uint64_t> elsewhere_seen_;  // what RDMA and the bond had received, when last read
    std::uint64_t elsewhere_received_{};           // what was added to rx_packets because of it
    std::optional<std::uint64_t> storms_;          // that the NIC has found itself

    NicTreatment treatment_;
    bool at_rest_{true};  // the settings are the usual ones: no treatment was commanded since the last restore
    Instant checked_{};
    bool settings_changed_{};
    bool lost_treatment_{};
    unsigned rewrites_{};  // since another program last left the treatment alone for a while
    unsigned rewritten_{};
    Instant next_write_{Instant::min()};

    std::optional<LinkState> reported_link_;  // by read_links()
};

}  // namespace petrel::device::linux_nic
