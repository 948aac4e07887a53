// A recorded trace as data: the capabilities of each recorded device and all its samples. Separate from the reader
// (codec) and from the device that replays it, since both need only this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watchdog/observation.hpp"

namespace petrel::device {

// samples[i] was taken in the look at time_us[i]; sorted by time, rows of one look in the order of the recording.
struct DeviceTrace {
    std::string device;
    watchdog::Inventory inventory;
    watchdog::Capabilities capabilities;
    std::vector<watchdog::Sample> samples;
    std::vector<std::int64_t> time_us;
};

struct Trace {
    std::vector<DeviceTrace> devices;
};

}  // namespace petrel::device
