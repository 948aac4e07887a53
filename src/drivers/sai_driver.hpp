// The agent's driver for switches behind a vendor's library: "sai:PATH[,profile=FILE][,version=1.9]". The library is
// started with the profile (device/sai/profile.hpp). `version` is for a library too old to report its version.
#pragma once

#include <optional>
#include <vector>

#include "daemon/driver.hpp"

namespace petrel::drivers {

class SaiDriver final : public daemon::Driver {
public:
    std::string_view kind() const override { return "sai"; }
    Result<void> check(const config::DeviceEntry&) const override;
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) override;
    // Reads the profile and finds the library. Does not load it, which would initialise its switch.
    Result<std::optional<std::vector<PortNames>>> ports(const config::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 NoteSink) override;
};

}  // namespace petrel::drivers
