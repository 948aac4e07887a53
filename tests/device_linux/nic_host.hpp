// An agent on a NIC of Linux with the policy rdma-nic. The NIC and the disk outlive the process.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/linux/linux_device.hpp"
#include "device_linux/fake_kernel.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"

namespace petrel::test {

inline constexpr DeviceId kNicId{0};
inline constexpr Target kNicPort{{kNicId, 0}, std::nullopt};

constexpr Instant at(std::chrono::milliseconds when) { return Instant{when}; }

// One process of an agent. It finds the memory of the process before.
class Process {
public:
    Process(FakeNic& nic, std::unique_ptr<runner::Memory> memory, device::ManualClock& clock,
            const watchdog::Policy& policy)
        : runner_(clock, {.open = [this, &nic, &clock] { return open(nic, clock); },
                          .policies = book_of(policy),
                          .memory = std::move(memory)})
    {}

    void run_until(Instant end) { runner_.run_until(end); }
    void order(watchdog::Order::Kind kind) { runner_.order({kind, kNicPort, "test"}); }
    void repaired() { order(watchdog::Order::Kind::repaired); }
    device::linux_nic::LinuxDevice& device() { return *device_; }
    std::size_t openings() const { return openings_; }

    // "nic_latched proven"
    std::vector<std::string> events() const
    {
        std::vector<std::string> all;
        for (const auto& event : runner_.events) {
            all.push_back(fmt::format("{} {}", name(event.kind), name(event.reason)));
        }
        return all;
    }

    // What the events add: the driver's error, or why a link went down.
    std::vector<std::string> details() const
    {
        std::vector<std::string> all;
        for (const auto& event : runner_.events) {
            all.push_back(event.by);
        }
        return all;
    }

    std::vector<std::string> notes;

private:
    Result<device::Device*> open(FakeNic& nic, device::ManualClock& clock)
    {
        ++openings_;
        return device::linux_nic::LinuxDevice::open(kNicId, nic.interface, std::make_unique<FakeKernel>(nic), clock,
                                                    [this](const std::string& note) { notes.push_back(note); })
            .map([this](std::unique_ptr<device::linux_nic::LinuxDevice> opened) -> device::Device* {
                device_ = std::move(opened);
                return device_.get();
            });
    }

    std::unique_ptr<device::linux_nic::LinuxDevice> device_;
    std::size_t openings_{};
    SimulatedRunner runner_;
};

struct Host {
    Process process()
    {
        return {nic, std::make_unique<lab::DiskMemory>(disk, [] {}), clock, policy};
    }

    device::ManualClock clock;
    FakeNic nic{clock};
    lab::SimulatedDisk disk;
    watchdog::Policy policy{watchdog::find_preset("rdma-nic")->policy};
};

}  // namespace petrel::test
