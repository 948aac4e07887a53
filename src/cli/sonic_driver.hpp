// The agent's driver for a SONiC switch where orchagent mitigates and we decide: "sonic:local", with the databases
// where SONiC says they are, or "sonic:ADDRESS" (redis/address.hpp).
#pragma once

#include "daemon/driver.hpp"

namespace petrel::cli {

class SonicDriver final : public daemon::Driver {
public:
    std::string_view kind() const override { return "sonic"; }
    Result<std::vector<codec::DeviceEntry>> expand(const codec::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const codec::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 Say) override;
};

}  // namespace petrel::cli
