// What a device's queues are like at one moment, as data that no thread changes any more. The loop makes one when it is
// asked for, at most once between two steps of the agent; the threads that render answers and metrics read it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "codec/control_report.hpp"
#include "device/device.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::runner {

// No storm is known at the queue, and nothing is done to it.
inline bool at_rest(watchdog::Phase phase)
{
    return phase == watchdog::Phase::off || phase == watchdog::Phase::watching;
}

struct RowState {
    watchdog::Phase phase{};
    watchdog::Treatment in_effect{};
    Duration proven{};
    watchdog::QueueStats stats;
    bool unseen{};  // configured, and cannot be watched
};

RowState row_state(const watchdog::Watchdog&, Slot, Instant now);

// The rows that a device watches by itself.
using SelfWatchedRows = std::map<Slot, device::SelfWatched>;

struct DeviceSnapshot {
    std::string device;
    std::shared_ptr<const watchdog::Watchlist> list;
    std::shared_ptr<const SelfWatchedRows> self_watched;
    std::vector<RowState> rows;  // by slot
};

// A report of one row.
codec::QueueReport queue_report(const std::string& device, const watchdog::Watchlist&, const SelfWatchedRows&, Slot,
                                const RowState&);
codec::QueueReport queue_report(const DeviceSnapshot&, Slot);

// Adds up the rows of the device.
void count_rows(const DeviceSnapshot&, codec::DeviceReport&);

}  // namespace petrel::runner
