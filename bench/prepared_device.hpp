// A device that costs almost nothing: its samples are made in memory, and the time for that is measured. The rest of
// the measured time is the cost of the agent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "daemon/driver.hpp"
#include "device/plain_device.hpp"
#include "fabric.hpp"

namespace petrel::bench {

class PreparedDevice final : public device::PlainDevice {
public:
    struct Work {
        std::uint32_t rows{};
        PauseSignal signal{};
        // `stormed` rows are paused without a break, from the look at all rows number `from` until number `until`.
        std::uint32_t stormed{};
        std::uint64_t from{};
        std::uint64_t until{};
    };
    using OnLook = std::function<void(const PreparedDevice&)>;  // called when a look at all rows begins

    PreparedDevice(const Work&, const device::TimeSource&, OnLook);

    std::uint64_t looks() const { return looks_; }  // number of completed looks at all rows
    std::uint64_t writes() const { return writes_; }
    double own_cpu_s() const { return own_cpu_s_; }

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<device::Undo> prepare(const watchdog::Command&) override { return device::Undo{}; }
    Result<void> apply(const watchdog::Command&, const device::Undo&) override;
    Result<watchdog::Treatment> read_back(const Target& target) override { return in_force_[target]; }
    void listen(device::NoticeSink&) override {}

private:
    bool stormed(std::uint32_t row) const;
    void refresh(watchdog::Sample&, Instant now) const;

    Work work_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    const device::TimeSource& clock_;
    OnLook on_look_;
    std::vector<watchdog::Sample> samples_;  // by row
    std::map<Target, watchdog::Treatment> in_force_;
    std::uint64_t looks_{};
    std::uint64_t writes_{};
    double own_cpu_s_{};
};

// Opens the prepared device for a service.
class PreparedDriver final : public daemon::Driver {
public:
    PreparedDriver(const PreparedDevice::Work& work, PreparedDevice::OnLook on_look)
        : work_(work), on_look_(std::move(on_look))
    {}

    std::string_view kind() const override { return "bench"; }
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry& entry) override
    {
        return std::vector{entry};
    }
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource& clock,
                                                 NoteSink) override
    {
        return std::make_unique<PreparedDevice>(work_, clock, on_look_);
    }

private:
    PreparedDevice::Work work_;
    PreparedDevice::OnLook on_look_;
};

// Processor time of the calling thread, or of all threads.
double thread_cpu_s();
double process_cpu_s();

}  // namespace petrel::bench
