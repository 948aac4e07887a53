#include "daemon/switch_logs.hpp"

#include <unistd.h>

#include "runtime/pause_messages.hpp"

namespace petrel::daemon {

Result<void> SwitchLogs::add(const std::string& device, const std::string& to, const Open& open)
{
    if (to.empty()) {
        return {};
    }
    auto& log = logs_[to];
    if (!log) {
        auto opened = open(to);
        if (!opened) {
            return tl::unexpected(std::move(opened.error()));
        }
        log = std::move(*opened);
    }
    by_device_[device] = log.get();
    return {};
}

void SwitchLogs::write(const std::string& device, const watchdog::Event& event, WallTime at,
                       std::span<const PortNames> ports)
{
    const auto found = by_device_.find(device);
    const auto port = event.target.port.index;
    if (found == by_device_.end() || port >= ports.size()) {
        return;
    }
    const wire::LogOrigin origin{at, device, static_cast<std::uint32_t>(::getpid())};
    for (const auto& line : runtime::pause_lines(event, ports[port], origin)) {
        found->second->write(build(line));
    }
}

std::uint64_t SwitchLogs::dropped() const
{
    std::uint64_t lines = 0;
    for (const auto& [to, log] : logs_) {
        lines += log->dropped();
    }
    return lines;
}

}  // namespace petrel::daemon
