// The logs of Slingshot switches (`switch_log` of a [[device]]): the lines that the switch's own software writes about
// ports that are paused for too long. Devices with the same destination share one writer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "daemon/raw_log.hpp"
#include "watchdog/event.hpp"

namespace petrel::daemon {

class SwitchLogs {
public:
    using Open = std::function<Result<std::unique_ptr<RawLog>>(std::string_view to)>;

    // An empty destination: the device has no such log.
    Result<void> add(const std::string& device, const std::string& to, const Open&);

    void write(const std::string& device, const watchdog::Event&, WallTime at, std::span<const PortNames> of_device);
    std::uint64_t dropped() const;  // lines

private:
    std::map<std::string, std::unique_ptr<RawLog>> logs_;  // by destination
    std::map<std::string, RawLog*> by_device_;
};

}  // namespace petrel::daemon
