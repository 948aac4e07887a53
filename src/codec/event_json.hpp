// An event as one JSON line. The schema is stable and documented (docs/events.md): keys are added, never renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "control/request.hpp"
#include "watchdog/event.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::codec {

// Without the newline. The time is the event's own, on the monotonic clock.
std::string event_json(const watchdog::Event&, const watchdog::Watchlist&, std::string_view device_name);

// The same with the wall time, for readers that compare it with other logs.
std::string event_json(const watchdog::Event&, WallTime, const watchdog::Watchlist&, std::string_view device_name);

// For keepers of many event lines: the time of a line, and whether it is about this queue (or port).
std::int64_t event_time_us(std::string_view line);
bool is_about(std::string_view line, std::string_view port, std::optional<Priority>);

// Whether a request for events chooses among those of its device, and whether it wants this event of `device`. A queue
// matches with and without its device, and a port stands for all its queues.
bool chooses_events(const control::ControlRequest&);
bool wants_event(const control::ControlRequest&, std::string_view device, std::string_view line);

}  // namespace petrel::codec
