// A DeviceRunner with the device of a test, in simulated time and in one thread. Unless the test sets how long calls of
// the device take, the runner makes each look and carries out each command at the instant at which the agent requests
// it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/manual_clock.hpp"
#include "lab/simulated_disk.hpp"
#include "lab/twin_loop.hpp"
#include "runner/device_runner.hpp"
#include "support/simulated_time.hpp"
#include "watchdog/policy.hpp"

namespace petrel::test {

class SimulatedRunner final : runner::RunnerHost {
public:
    struct Setup {
        std::function<Result<device::Device*>()> open;  // the device stays valid until the next call
        watchdog::PolicyBook policies;                  // their port numbers are those of the device
        std::unique_ptr<runner::Memory> memory;
        std::unique_ptr<runner::LinkMemory> links{};
        device::FaultHook fault_hook{};
        lab::TwinWorker::Takes takes{[](runner::JobKind, Instant) { return Duration{}; }};
    };

    // The first run_until() opens the device. The clock must outlive the runner.
    SimulatedRunner(device::ManualClock&, Setup);
    // With a device that is open already. The disk outlives the runner: the next one continues with its contents.
    SimulatedRunner(device::ManualClock&, device::Device&, lab::SimulatedDisk&, const watchdog::PolicyBook&);

    // Does everything that is due up to and including `end`. Afterwards the clock shows `end`.
    void run_until(Instant end);
    // Passes the order, or stops the runner, and does everything that follows at this instant.
    void order(const watchdog::Order&);

    const runner::DeviceRunner& device_runner() const { return runner_; }
    const agent::Agent& agent() const { return *runner_.agent(); }

    runner::DeviceRunner& device_runner() { return runner_; }

    std::vector<watchdog::Event> events;
    std::vector<runner::LogLine> logged;
    bool intake_fits{true};  // at each event, the intake has the rows of the event's watchlist

private:
    class Source;
    class FixedPolicies;

    // RunnerHost
    void log(const runner::LogLine& line) override { logged.push_back(line); }
    void event_written(const runner::DeviceRunner& by, const watchdog::Watchlist& list, const watchdog::Event& event,
                       const std::string&) override
    {
        events.push_back(event);
        const auto* intake = by.intake();
        intake_fits = intake_fits && (intake == nullptr || intake->view().known.size() == list.inventory.rows.size());
    }
    void settled(const runner::DeviceRunner&) override {}
    void state_written(const runner::DeviceRunner&, const Result<void>&) override {}
    void name_kept(const std::filesystem::path&, const Result<bool>&) override {}

    SimulatedTime time_;
    lab::CallAt call_at_;
    lab::TwinLoop loop_;
    runner::DeviceRunner runner_;
};

}  // namespace petrel::test
