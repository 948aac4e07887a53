// The agent's driver for Slingshot switches: "slingshot:exec:PROGRAM [ARGUMENTS]" is a switch whose registers are
// behind a helper program. The program is written as in ExecDriver.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "daemon/driver.hpp"

namespace petrel::drivers {

class SlingshotDriver final : public daemon::Driver {
public:
    std::string_view kind() const override { return "slingshot"; }
    Result<void> check(const config::DeviceEntry&) const override;
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) override;
    Result<std::optional<std::vector<PortNames>>> ports(const config::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 NoteSink) override;
};

}  // namespace petrel::drivers
