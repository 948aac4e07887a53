// Where a runner gets its device from: a driver in the service, a node of the twin in the lab.
//
// Contract: open() and put_back() are called by the worker and may block. The clock outlives the devices.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "device/device.hpp"

namespace petrel::runner {

class DeviceSource {
public:
    // Takes, in words, what a device does otherwise than it should. From any thread.
    using Say = std::function<void(const std::string&)>;

    virtual ~DeviceSource() = default;
    virtual const device::TimeSource& clock() const = 0;  // as the worker sees it
    virtual Result<std::unique_ptr<device::Device>> open(Say) = 0;

    // Undoes what a process that died has left changed beside its mitigations, without opening the device.
    virtual Result<void> put_back() { return {}; }

    // Whether everything that may be in force on the device is in its journal. From any thread.
    virtual bool journal_tells_all() const { return true; }
};

}  // namespace petrel::runner
