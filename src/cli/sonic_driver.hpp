// The agent's driver for a SONiC switch where orchagent mitigates and we decide: "sonic:local", with the databases
// where SONiC says they are, or "sonic:ADDRESS" (redis/address.hpp). One that has several ASICs has databases for each:
// there "local" says too little.
#pragma once

#include <filesystem>

#include "daemon/driver.hpp"
#include "sonic/redis_store.hpp"

namespace petrel::cli {

class SonicDriver final : public daemon::Driver {
public:
    explicit SonicDriver(std::filesystem::path asics = "/var/run/redis/sonic-db/database_global.json")
        : asics_(std::move(asics))
    {}

    std::string_view kind() const override { return "sonic"; }
    bool journal_tells_all() const override { return false; }  // SONiC's own detector rests, and orchagent has storms
    Result<std::vector<codec::DeviceEntry>> expand(const codec::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const codec::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 Say) override;
    Result<void> put_back(const codec::DeviceEntry&) override;

private:
    Result<sonic::Databases> databases_of(const codec::DeviceEntry&) const;

    std::filesystem::path asics_;
};

}  // namespace petrel::cli
