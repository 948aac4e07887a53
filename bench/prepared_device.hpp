// A device that costs next to nothing: its samples are made in memory, and what that takes is known. For benches of
// whoever watches it, who then has all the rest of the time to answer for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "daemon/driver.hpp"
#include "fabric.hpp"

namespace petrel::bench {

class PreparedDevice final : public device::Device {
public:
    // `looked` is called at the beginning of each look at all rows, with how many there were before it.
    using OnLook = std::function<void(std::uint64_t looks, double own_cpu_s)>;

    PreparedDevice(std::uint32_t rows, Tells, const device::TimeSource&, OnLook looked);

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<device::Undo> prepare(const watchdog::Command&) override { return device::Undo{}; }
    Result<void> apply(const watchdog::Command&, const device::Undo&) override { return {}; }
    Result<watchdog::Treatment> read_back(const Target&) override { return watchdog::Treatment::none; }
    void listen(device::NoticeSink&) override {}

private:
    void prepare_samples();

    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    const device::TimeSource& clock_;
    OnLook looked_;
    std::vector<watchdog::Sample> samples_;  // by row
    Instant read_at_;
    std::uint64_t looks_{};
    double own_cpu_s_{};
};

// Opens it for a service.
class PreparedDriver final : public daemon::Driver {
public:
    PreparedDriver(std::uint32_t rows, Tells tells, PreparedDevice::OnLook looked)
        : rows_(rows), tells_(tells), looked_(std::move(looked))
    {}

    std::string_view kind() const override { return "bench"; }
    Result<std::vector<codec::DeviceEntry>> expand(const codec::DeviceEntry& entry) override
    {
        return std::vector{entry};
    }
    Result<std::unique_ptr<device::Device>> open(const codec::DeviceEntry&, DeviceId,
                                                 const device::TimeSource& clock) override
    {
        return std::make_unique<PreparedDevice>(rows_, tells_, clock, looked_);
    }

private:
    std::uint32_t rows_;
    Tells tells_;
    PreparedDevice::OnLook looked_;
};

// Processor time, of the calling thread or of all of them.
double thread_cpu_s();
double process_cpu_s();

}  // namespace petrel::bench
