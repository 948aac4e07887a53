// What systemd hears from the service, and how often it wants to hear that the service is alive. Outside systemd nobody
// listens, and all of this does nothing.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace petrel::daemon {

// How far apart signs of life should be: half of what the unit's WatchdogSec allows; none: nobody waits for one.
std::optional<Duration> watchdog_interval();

void notify_alive();

// `status`: one line for `systemctl status`.
void notify_ready(std::string_view status);
void notify_reloading(const Now&);  // notify_ready() says that it is over
void notify_stopping(std::string_view status, Duration at_most);

}  // namespace petrel::daemon
