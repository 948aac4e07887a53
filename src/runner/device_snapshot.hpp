// The state of a device's rows at one moment, as immutable data. The loop makes a snapshot on request, at most once
// between two steps of the agent. The threads that render answers and metrics read it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "control/report.hpp"
#include "device/device.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::runner {

// The queue is not in a storm and not treated.
inline bool at_rest(watchdog::Phase phase)
{
    return phase == watchdog::Phase::off || phase == watchdog::Phase::watching;
}

struct RowState {
    watchdog::Phase phase{};
    watchdog::Treatment in_effect{};
    Duration proven{};
    watchdog::QueueStats stats;
    bool unseen{};  // configured to be watched, but cannot be read
    bool held{};    // latched by an operator's hold
};

RowState row_state(const watchdog::Watchdog&, Slot, Instant now);

// The rows for which a device detects storms itself.
using Delegations = std::map<Slot, device::Delegated>;

struct DeviceSnapshot {
    std::string device;
    std::shared_ptr<const watchdog::Watchlist> list;
    std::shared_ptr<const Delegations> delegations;
    std::vector<RowState> rows;  // by slot
};

// A report of one row.
control::QueueReport queue_report(const std::string& device, const watchdog::Watchlist&, const Delegations&, Slot,
                                  const RowState&);
control::QueueReport queue_report(const DeviceSnapshot&, Slot);

// Adds the numbers of watched, alerted, latched, held and mitigated rows, and the sums of storms, to the report.
void count_rows(const DeviceSnapshot&, control::DeviceReport&);

}  // namespace petrel::runner
