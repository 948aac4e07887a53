// Notifications to systemd (sd_notify), and the interval at which systemd expects them. Without systemd these functions
// do nothing.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace petrel::daemon {

// The interval for notify_alive(): half of the unit's WatchdogSec; none if the unit has no WatchdogSec.
std::optional<Duration> watchdog_interval();

void notify_alive();

// `status`: one line for `systemctl status`.
void notify_ready(std::string_view status);
void notify_reloading(const Now&);  // notify_ready() ends it
void notify_stopping(std::string_view status, Duration at_most);

}  // namespace petrel::daemon
