// How the service gets at hardware: a driver knows one kind of device ("twin", "sai") and opens those the configuration
// names. Which drivers there are is decided where programs are put together.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "codec/agent_config.hpp"
#include "device/device.hpp"

namespace petrel::daemon {

class Driver {
public:
    // Hears what a device does otherwise than it should, in words; from threads in which devices are used.
    using Say = std::function<void(const std::string&)>;

    virtual ~Driver() = default;
    virtual std::string_view kind() const = 0;  // what stands before the colon

    // Whether the words of an entry make sense. What they name is not looked at: it may be on another machine.
    virtual Result<void> check(const codec::DeviceEntry&) const { return {}; }

    // One entry may mean several devices ("twin:fabric.toml" is every watched switch of it): each gets an entry of its
    // own, with a name. Quick, touches no hardware.
    virtual Result<std::vector<codec::DeviceEntry>> expand(const codec::DeviceEntry&) = 0;

    // Whether everything that may be in force of a device is in its journal. Where it is not, the device is asked.
    virtual bool journal_tells_all() const { return true; }

    // Of an expanded entry; from the thread in which the device will be used. May block and fail: it is tried again.
    virtual Result<std::unique_ptr<device::Device>> open(const codec::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                         Say) = 0;

    // What a device was left with beside its mitigations, as by a process that died, without opening it: nobody else
    // would put it back if it cannot be opened. Nothing is done to one that another process has.
    virtual Result<void> put_back(const codec::DeviceEntry&) { return {}; }
};

// The one that an entry names, or null.
inline Driver* find_driver(std::span<Driver* const> drivers, const codec::DeviceEntry& entry)
{
    const auto kind = std::string_view{entry.driver}.substr(0, entry.driver.find(':'));
    const auto found = std::ranges::find(drivers, kind, [](const Driver* driver) { return driver->kind(); });
    return found != drivers.end() ? *found : nullptr;
}

}  // namespace petrel::daemon
