// The agent's driver for a SONiC switch on which the agent decides and orchagent mitigates:
//
//   sonic:local    the databases that SONiC's own files name; with several ASICs one device for each
//   sonic:asic0    one ASIC of several, by its namespace
//   sonic:ADDRESS  all databases at one server (redis/address.hpp)
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "daemon/driver.hpp"
#include "device/sonic/sonic_device.hpp"
#include "sonic/find_databases.hpp"

namespace petrel::drivers {

class SonicDriver final : public daemon::Driver {
public:
    explicit SonicDriver(std::filesystem::path asics = sonic::kDatabaseGlobal, device::sonic::Settings settings = {})
        : asics_(std::move(asics)), settings_(std::move(settings))
    {}

    std::string_view kind() const override { return "sonic"; }
    bool has_policies() const override { return true; }  // in CONFIG_DB
    Result<std::unique_ptr<daemon::Nos>> make_nos(const config::DeviceEntry&, const device::TimeSource&) override;
    // SONiC's scripts may be disabled, and orchagent may have queues in storm.
    bool journal_is_complete() const override { return false; }
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) override;
    Result<std::optional<std::vector<PortNames>>> ports(const config::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 NoteSink) override;
    Result<PutBack> put_back(const config::DeviceEntry&) override;
    Result<bool> shows_no_treatment(const config::DeviceEntry&) override;

    // The databases of an expanded entry.
    Result<sonic::Databases> databases_of(const config::DeviceEntry&) const;

private:
    std::filesystem::path asics_;
    device::sonic::Settings settings_;
};

}  // namespace petrel::drivers
