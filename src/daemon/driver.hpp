// How the service gets its devices: a driver opens the devices of one kind ("twin", "sai") that the configuration
// lists. The program that makes the service chooses the drivers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/agent_config.hpp"
#include "daemon/nos.hpp"
#include "device/device.hpp"

namespace petrel::daemon {

class Driver {
public:
    // Receives notes: how a device differs from what is configured or specified. Called in device threads.
    using NoteSink = std::function<void(const std::string&)>;

    virtual ~Driver() = default;
    virtual std::string_view kind() const = 0;  // the part of an entry before the colon

    // Whether its devices come with their policies, so that the agent's configuration needs none.
    virtual bool has_policies() const { return false; }

    // The NOS that has the policies of an expanded entry; only if has_policies(). The clock outlives it.
    virtual Result<std::unique_ptr<Nos>> make_nos(const config::DeviceEntry&, const device::TimeSource&)
    {
        return nullptr;
    }

    // Checks the syntax of an entry. Does not check that the device or file exists: it may be on another machine.
    virtual Result<void> check(const config::DeviceEntry&) const { return {}; }

    // Replaces an entry that stands for several devices ("twin:fabric.toml": every watched switch of that fabric) by
    // one entry with a name for each. Returns quickly and accesses no hardware.
    virtual Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) = 0;

    // Whether its devices are simulated, so that nothing real is watched.
    virtual bool simulates() const { return false; }

    // Checks, without opening the device and without changing anything, that an expanded entry names something that
    // this machine has, and returns the names of its ports. None: only the open device has them.
    virtual Result<std::optional<std::vector<PortNames>>> ports(const config::DeviceEntry&) { return std::nullopt; }

    // Whether the journal lists everything that the agent may have changed on a device. If not, the device must be
    // read.
    virtual bool journal_is_complete() const { return true; }

    // Opens the device of an expanded entry. Called in the thread that will use the device. May block. After a failure
    // it is called again later.
    virtual Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId,
                                                         const device::TimeSource&, NoteSink) = 0;

    // Undoes what a process that died has changed on the device, except its mitigations. Does not open the device. Does
    // nothing if another process uses the device.
    enum class PutBack : std::uint8_t { nothing, done, in_use };
    virtual Result<PutBack> put_back(const config::DeviceEntry&) { return PutBack::nothing; }

    // Whether a device that cannot be opened shows that it treats no queue. Does not open the device.
    virtual Result<bool> shows_no_treatment(const config::DeviceEntry&) { return false; }
};

// The driver of an entry, or null.
inline Driver* find_driver(std::span<Driver* const> drivers, const config::DeviceEntry& entry)
{
    const auto kind = std::string_view{entry.driver}.substr(0, entry.driver.find(':'));
    const auto found = std::ranges::find(drivers, kind, [](const Driver* driver) { return driver->kind(); });
    return found != drivers.end() ? *found : nullptr;
}

}  // namespace petrel::daemon
