// Makes the runners of the service: with the device of a driver, a worker for its calls and files for its memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "config/agent_config.hpp"
#include "config/policy_file.hpp"
#include "daemon/driver.hpp"
#include "runner/device_runner.hpp"

namespace petrel::daemon {

using runner::at_rest;
using runner::count_rows;
using runner::DeviceRunner;
using runner::DeviceSnapshot;
using runner::find_target;
using runner::queue_report;
using runner::RunnerHost;
using runner::wall_time;

// The policies of a file, or those of the NOS in the same form.
class FilePolicies final : public runner::Policies {
public:
    explicit FilePolicies(config::PolicyFile file) : file_(std::move(file)) {}

    const config::PolicyFile& file() const { return file_; }
    watchdog::PolicyBook bind(watchdog::Inventory&, std::string_view device) const override;
    bool same_as(const runner::Policies&) const override;

private:
    config::PolicyFile file_;
};

struct RunnerSetup {
    config::DeviceEntry entry;  // expanded, so it has a name
    DeviceId id;
    Driver* driver{};
    const device::TimeSource* clock{};       // the time that the worker uses
    std::unique_ptr<runner::Worker> worker;  // with room for runner::kMostJobs
    std::filesystem::path state_dir;
    std::uint32_t history_events{};
    Duration hang_after{};
    device::FaultHook fault_hook;  // tests kill the process in it
};

// Fails if the memory of the device cannot be opened. Host, loop, driver and clock must outlive the runner.
Result<std::unique_ptr<DeviceRunner>> make_runner(runner::Loop&, RunnerHost&, RunnerSetup,
                                                  std::shared_ptr<const runner::Policies>);

}  // namespace petrel::daemon
