#include "lab/switch_log.hpp"

#include <chrono>

#include "runtime/pause_messages.hpp"

namespace petrel::lab {

namespace {

constexpr std::uint32_t kProcess = 1;  // placeholder: an agent in the twin has no process id

}  // namespace

std::vector<wire::LogLine> log_lines(const AgentEvent& reported)
{
    const auto& event = *reported.event;
    const wire::LogOrigin origin{WallTime{std::chrono::microseconds{whole_us(event.at)}}, std::string{reported.device},
                                 kProcess};
    std::vector<wire::LogLine> lines;
    const auto& ports = reported.watchlist->inventory.ports;
    for (const auto& message : runtime::pause_messages(event, ports[event.target.port.index])) {
        lines.push_back(pause_line(message, origin));
    }
    return lines;
}

}  // namespace petrel::lab
