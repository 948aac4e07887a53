// The agent's driver for simulated fabrics: "twin:FILE#NODE" is that node of the scenario in FILE, simulated in
// wall-clock time within the agent's process; "twin:FILE" is every switch that has a policy in the scenario. All
// devices of a file share one fabric, which starts when the first device is opened and lives as long as the driver. If
// the simulation cannot keep up with the clock, this is reported for the first device.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/driver.hpp"
#include "lab/live/live_twin.hpp"

namespace petrel::drivers {

class TwinDriver final : public daemon::Driver {
public:
    std::string_view kind() const override { return "twin"; }
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) override;
    bool simulates() const override { return true; }
    Result<std::optional<std::vector<PortNames>>> ports(const config::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 NoteSink) override;

private:
    Result<std::shared_ptr<lab::LiveTwin>> twin_of(const std::string& file, const device::TimeSource&, NoteSink);

    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<lab::LiveTwin>> twins_;  // by file
};

}  // namespace petrel::drivers
