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
    // Receives notes: how the device differs from what is configured or specified. May be called in any thread.
    using NoteSink = std::function<void(const std::string&)>;

    virtual ~DeviceSource() = default;
    virtual const device::TimeSource& clock() const = 0;  // the time that the worker uses
    virtual Result<std::unique_ptr<device::Device>> open(NoteSink) = 0;

    // Undoes what a process that died has changed on the device, except its mitigations. Does not open the device.
    virtual Result<void> put_back() { return {}; }

    // Whether the journal lists everything that the agent may have changed on the device. May be called in any thread.
    virtual bool journal_is_complete() const { return true; }
};

}  // namespace petrel::runner
