#include "daemon/notify.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/complaint_text.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::daemon {

namespace {

// One datagram to the socket that systemd names in the environment. '@' stands for the zero byte that begins a name in
// the abstract namespace.
void send_assignments(std::string_view assignments)
{
    const char* named = std::getenv("NOTIFY_SOCKET");
    const std::string_view name{named == nullptr ? "" : named};
    sockaddr_un address{};
    if (name.empty() || name.size() > sizeof address.sun_path) {
        return;
    }
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, std::begin(address.sun_path));
    if (name.starts_with('@')) {
        address.sun_path[0] = '\0';
    }
    const runtime::FileDescriptor socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    // systemd may be gone; then there is nothing to do about it.
    static_cast<void>(::sendto(socket.get(), assignments.data(), assignments.size(), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&address), size));
}

// None: not set, or no number.
std::optional<std::int64_t> number_in_environment(const char* name)
{
    const char* text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    const std::string_view digits{text};
    std::int64_t number{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() ? std::optional{number} : std::nullopt;
}

// Escapes the status: systemd would read the text after a line feed as another assignment.
void send_state(std::string_view what, std::string_view status)
{
    send_assignments(fmt::format("{}STATUS={}", what, escaped(status)));
}

}  // namespace

std::optional<Duration> watchdog_interval()
{
    const auto us = number_in_environment("WATCHDOG_USEC");
    const auto process = number_in_environment("WATCHDOG_PID");
    const bool for_another = process && *process != ::getpid();
    return us && *us > 0 && !for_another ? std::optional<Duration>{std::chrono::microseconds{*us / 2}} : std::nullopt;
}

void notify_alive() { send_assignments("WATCHDOG=1"); }

void notify_ready(std::string_view status) { send_state("READY=1\n", status); }

void notify_reloading(const Now& now)
{
    send_assignments(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", whole_us(now.mono)));
}

void notify_stopping(std::string_view status, Duration at_most)
{
    // A margin, so that systemd does not kill the service just before it ends by itself.
    constexpr std::chrono::seconds kMargin{5};
    send_state(fmt::format("STOPPING=1\nEXTEND_TIMEOUT_USEC={}\n", whole_us(at_most + kMargin)), status);
}

}  // namespace petrel::daemon
