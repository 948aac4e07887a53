// The owner of the runners, as they see it: it receives their log lines, events and results. They call it in the loop.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "runner/log_line.hpp"
#include "watchdog/event.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::runner {

class DeviceRunner;

class RunnerHost {
public:
    virtual ~RunnerHost() = default;
    virtual void log(const LogLine&) = 0;
    // The event names rows of this watchlist. Without an agent these are rows that the device does not have any more.
    virtual void event_written(const DeviceRunner&, const watchdog::Watchlist&, const watchdog::Event&,
                               const std::string& json) = 0;
    virtual void settled(const DeviceRunner&) = 0;  // the first good look is done, or the runner has stopped
    virtual void state_written(const DeviceRunner&, const Result<void>&) = 0;
    // The result of each periodic check of a file. True: another process removed or replaced the file, and it is
    // written again.
    virtual void name_kept(const std::filesystem::path&, const Result<bool>& lost) = 0;
};

}  // namespace petrel::runner
