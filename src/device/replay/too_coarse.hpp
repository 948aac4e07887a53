// What a recording is too coarse for. A replay that finds no storm for one of these reasons must say so.
#pragma once

#include <string>
#include <vector>

#include "device/replay/pace.hpp"
#include "watchdog/event.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::device {

// For each policy in use that the trace cannot judge, the reason. The stamps are as uncertain as the capabilities of
// the watchlist state. stats[slot] are those at the end of the replay.
std::vector<std::string> too_coarse(const DeviceTrace&, const Pace&, const watchdog::Watchlist&,
                                    const std::vector<watchdog::QueueStats>& stats);

}  // namespace petrel::device
