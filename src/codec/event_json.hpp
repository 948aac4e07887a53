// An event as one JSON line. The schema is stable and documented (docs/events.md): keys are added, never renamed.
#pragma once

#include <string>
#include <string_view>

#include "watchdog/event.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::codec {

// Without the end of the line.
std::string event_json(const watchdog::Event&, const watchdog::Watchlist&, std::string_view device_name);

}  // namespace petrel::codec
