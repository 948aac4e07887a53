// How the service gets at hardware: a driver knows one kind of device ("twin", "sai") and opens those the configuration
// names. Which drivers there are is decided where programs are put together.
#pragma once

#include <algorithm>
#include <cstdint>
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

    // Puts back what a process that died has left changed beside its mitigations, without opening the device. Nothing
    // is done to a device that another process has.
    enum class PutBack : std::uint8_t { nothing, done, in_use };
    virtual Result<PutBack> put_back(const codec::DeviceEntry&) { return PutBack::nothing; }
};

// The one that an entry names, or null.
inline Driver* find_driver(std::span<Driver* const> drivers, const codec::DeviceEntry& entry)
{
    const auto kind = std::string_view{entry.driver}.substr(0, entry.driver.find(':'));
    const auto found = std::ranges::find(drivers, kind, [](const Driver* driver) { return driver->kind(); });
    return found != drivers.end() ? *found : nullptr;
}

}  // namespace petrel::daemon
