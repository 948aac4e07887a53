#include "daemon/notify.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include <chrono>
#include <string>

#include "base/complaint_text.hpp"

namespace petrel::daemon {

namespace {

// Escapes the status: systemd would read the text after a line feed as another assignment.
void send_state(std::string_view what, std::string_view status)
{
    ::sd_notify(0, fmt::format("{}STATUS={}", what, escaped(status)).c_str());
}

}  // namespace

std::optional<Duration> watchdog_interval()
{
    std::uint64_t us = 0;
    if (::sd_watchdog_enabled(0, &us) <= 0) {
        return std::nullopt;
    }
    return std::chrono::microseconds{us / 2};
}

void notify_alive() { ::sd_notify(0, "WATCHDOG=1"); }

void notify_ready(std::string_view status) { send_state("READY=1\n", status); }

void notify_reloading(const Now& now)
{
    ::sd_notify(0, fmt::format("RELOADING=1\nMONOTONIC_USEC={}", whole_us(now.mono)).c_str());
}

void notify_stopping(std::string_view status, Duration at_most)
{
    // A margin, so that systemd does not kill the service just before it ends by itself.
    constexpr std::chrono::seconds kMargin{5};
    send_state(fmt::format("STOPPING=1\nEXTEND_TIMEOUT_USEC={}\n", whole_us(at_most + kMargin)), status);
}

}  // namespace petrel::daemon
